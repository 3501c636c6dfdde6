# tinyflow: `make` alone lists the targets. The first one that needs it makes .venv; later calls
# reuse it until setup.cfg or pyproject.toml changes. `make demo` installs what a program needs,
# the other targets the developers' tools too.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo check test thorough fuzz exercises doctest lessons site bench lint typecheck \
    stubs protos dist clean

JOBS ?= 2
N ?= 20000
SEED ?= 1
ARGS ?=

# $(call first_python,candidates,condition): the first candidate that starts and whose
# version fulfils the condition. Starting it matters: pyenv's shims exist without a Python.
first_python = $(shell for p in $(1); do \
    "$$p" -c 'import sys; v = sys.version_info[:2]; sys.exit(not ($(2)))' 2>/dev/null \
    && echo "$$p" && break; done)
PYENV := $(or $(PYENV_ROOT),$(HOME)/.pyenv)/versions

PYTHON ?= $(call first_python,python3 python3.13 python3.12 python3.11 python3.10,v >= (3, 10))
PY := .venv/bin/python
PIP := -m pip install -qq --disable-pip-version-check --only-binary=:all:

# Speed is compared with TensorFlow 2.15, the last release with tf.estimator. Its wheels
# serve Python 3.9 to 3.11 and need NumPy 1, hence an environment of its own.
TF_PYTHON ?= $(call first_python,python3.11 python3.10 python3.9 \
    $(wildcard $(PYENV)/3.11.*/bin/python $(PYENV)/3.10.*/bin/python \
    $(PYENV)/3.9.*/bin/python) python3,(3, 9) <= v <= (3, 11))
TF_PACKAGE ?= tensorflow-cpu==2.15.*
TF_PY := .venv-tf215/bin/python

TYPED := $(wildcard tinyflow/compiler/*.py tinyflow/compiler/*/*.py \
    tinyflow/session/*.py tinyflow/cluster/*.py tinyflow/cluster/*/*.py \
    tinyflow/gradients/reverse.py)

# What `make check` runs: the rules of the tree, every op, the compiler and the session.
QUICK := $(addprefix tests/,project/test_architecture.py project/test_stubs.py api/test_api.py \
    ops/test_ops.py gradients/test_gradients.py compiler/test_passes.py compiler/test_codegen.py \
    session/test_session.py session/test_fetches_feeds.py ops/variables/test_variables.py)

help:
	@echo "make demo    train a network on handwritten digits at three levels and look inside"
	@echo "make check   the quick part of the tests, for while you work"
	@echo "make test    run the tests               (ARGS='-k softmax' picks some, JOBS=2)"
	@echo "make thorough  the slow tests, more seeds and kills, and ops in the native tier"
	@echo "make exercises  the exercises: solutions pass, wrong answers get their hints"
	@echo "make lessons the lessons as notebooks with their pictures, in out/lessons"
	@echo "make doctest the examples of the reference"
	@echo "make site    the pages for the web, in out/site"
	@echo "make bench   time tinyflow, beside TensorFlow 2.15 where Python 3.9-3.11 is found"
	@echo "make lint    ruff, and mypy on the compiler, the session, clusters and gradients/reverse.py"
	@echo "make typecheck  mypy on the programs of README.md and the tutorials"
	@echo "make fuzz    damaged files, full disks, kills and interrupts at scale (N=20000 SEED=1)"
	@echo "make stubs   write the .pyi files of namespaces that import lazily"
	@echo "make dist    build the wheel and the source archive, and check them"
	@echo "make protos  turn tinyflow/formats/protos/*.proto into Python modules"
	@echo "make clean   remove everything the targets above have made"
	@echo "Other interpreters: make PYTHON=python3.12 TF_PYTHON=python3.10 <target>"

demo: .venv/for-programs
	@$(PY) tutorials/demo.py $(ARGS)

check: .venv/installed
	@$(PY) -m pytest -q -n $(JOBS) --benchmark-disable -m 'not slow' $(QUICK) $(ARGS)

test: .venv/installed
	@$(PY) -m pytest -q -n $(JOBS) --benchmark-disable -m 'not thorough and not slow' $(ARGS)

thorough: .venv/installed
	@$(PY) -m pytest -q -n $(JOBS) --benchmark-disable -m 'thorough or slow' $(ARGS)
	@TINYFLOW_NATIVE=always $(PY) -m pytest -q -n $(JOBS) --benchmark-disable -m 'not thorough' \
	    tests/ops/test_ops.py tests/golden/test_ops.py tests/golden/test_programs.py \
	    tests/session/test_elements.py tests/train/test_exact_resume.py tests/keras/layers

# Progress is kept in .fuzz: RESUME=1 goes on where an interrupted run ended.
fuzz: .venv/installed
	@nice $(PY) -m tests.faults $(N) $(SEED) --commands --jobs $(JOBS) \
	    $(if $(RESUME),--resume) $(ARGS)

lint: .venv/installed
	@echo "ruff" && $(PY) -m ruff check --quiet --output-format concise . && echo "  clean"
ifeq ($(TYPED),)
	@echo "mypy: nothing to check yet"
else
	@echo "mypy on the compiler, the session, clusters and gradients/reverse.py" && $(PY) -m mypy --no-error-summary $(TYPED) && echo "  clean"
endif

typecheck: .venv/installed
	@$(PY) -m pytest -q --benchmark-disable tests/project/test_typecheck.py $(ARGS)

stubs: .venv/installed
	@$(PY) docs/write_stubs.py

dist: .venv/installed
	@$(PY) $(PIP) build twine
	@rm -rf build dist && $(PY) -m build --outdir dist . >/dev/null && ls -l dist
	@$(PY) -m twine check --strict dist/*

exercises: .venv/installed
	@$(PY) -m pytest -q -n 0 tests/api/learn $(ARGS)

lessons: .venv/installed
	@$(PY) docs/lessons.py out/lessons && echo "To open them: $(PY) -m pip install notebook," \
	    "then .venv/bin/jupyter notebook out/lessons"

doctest: .venv/installed
	@$(PY) docs/site/examples.py $(ARGS)

site: lessons
	@$(PY) docs/site/build.py out

bench: .venv/installed
	@tf="$(TF_PYTHON)"; \
	if [ -n "$$tf" ]; then $(MAKE) -s .venv-tf215/installed TF_PYTHON="$$tf"; else \
	    echo "No Python 3.9, 3.10 or 3.11 found, which TensorFlow 2.15 needs" \
	        "(make bench TF_PYTHON=/path/to/python3.11)."; \
	    echo "Timing tinyflow alone."; \
	fi
	@$(PY) benchmarks/all.py --tensorflow $(TF_PY) --tensorflow1 "$(TF1_PYTHON)" $(ARGS)

# $(call make_venv,python,folder,condition,wanted)
define make_venv
	@[ -n "$(1)" ] && "$(1)" -c 'import sys; v = sys.version_info[:2]; sys.exit(not ($(3)))' \
	    2>/dev/null || { echo "$(2) needs Python $(4), and '$(1)' is none." \
	        "Name one: make PYTHON=... (for tinyflow), TF_PYTHON=... (for TensorFlow)." >&2; \
	    exit 1; }
	@"$(1)" -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "$(1) cannot make virtual environments. On Debian or Ubuntu:" \
	        "sudo apt install python3-venv" >&2; exit 1; }
	@echo "Setting up $(2) with $(1), once ..."
	@"$(1)" -m venv $(2)
endef

# protoc 25 writes modules that protobuf 4.25 and everything later can load; its package wants
# an older protobuf than the tests, hence an environment of its own.
protos: .venv-protoc/installed
	@.venv-protoc/bin/python -m grpc_tools.protoc -I. --python_out=. \
	    tinyflow/formats/protos/*.proto && echo "tinyflow/formats/protos: written"

.venv-protoc/installed:
	$(call make_venv,$(PYTHON),.venv-protoc,(3, 10) <= v <= (3, 12),3.10 to 3.12)
	@.venv-protoc/bin/python $(PIP) 'grpcio-tools==1.62.*' 'setuptools<81'
	@touch $@

.venv/made:
	$(call make_venv,$(PYTHON),.venv,v >= (3, 10),3.10 or newer)
	@touch $@

.venv/for-programs: .venv/made setup.cfg pyproject.toml
	@echo "Installing what a program needs (240 MB) ..."
	@$(PY) $(PIP) --no-compile -e '.[cluster,images,keras]'
	@touch $@

.venv/installed: .venv/made setup.cfg pyproject.toml
	@echo "Installing the developers' tools too (800 MB); this takes a minute or two ..."
	@$(PY) $(PIP) -e '.[dev]'
	@touch .venv/for-programs $@

.venv-tf215/installed:
	$(call make_venv,$(TF_PYTHON),.venv-tf215,(3, 9) <= v <= (3, 11),3.9 to 3.11)
	@$(TF_PY) $(PIP) '$(TF_PACKAGE)' 'numpy<2'
	@touch $@

clean:
	@rm -rf .venv .venv-tf215 .venv-protoc build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	@rm -rf .hypothesis .benchmarks .fuzz
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "clean"
