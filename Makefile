# tinyflow: `make` alone lists the targets. The first one that needs it makes .venv;
# later calls reuse it until setup.cfg or pyproject.toml changes.

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help demo test bench lint protos clean

JOBS ?= 2
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
    tinyflow/session/*.py tinyflow/gradients/reverse.py)

help:
	@echo "make demo    train a network on handwritten digits at three levels and look inside"
	@echo "make test    run the tests               (ARGS='-k softmax' picks some, JOBS=2)"
	@echo "make bench   time tinyflow, beside TensorFlow 2.15 where Python 3.9-3.11 is found"
	@echo "make lint    ruff, and mypy on the compiler, the session and the gradients"
	@echo "make protos  turn tinyflow/formats/protos/*.proto into Python modules"
	@echo "make clean   remove everything the targets above have made"
	@echo "Other interpreters: make PYTHON=python3.12 TF_PYTHON=python3.10 <target>"

demo: .venv/installed
	@$(PY) tutorials/demo.py $(ARGS)

test: .venv/installed
	@$(PY) -m pytest -q -n $(JOBS) --benchmark-disable $(ARGS)

lint: .venv/installed
	@echo "ruff" && $(PY) -m ruff check --quiet --output-format concise . && echo "  clean"
ifeq ($(TYPED),)
	@echo "mypy: nothing to check yet"
else
	@echo "mypy on the compiler, the session and the gradients" && $(PY) -m mypy --no-error-summary $(TYPED) && echo "  clean"
endif

bench: .venv/installed
	@tf="$(TF_PYTHON)"; \
	if [ -n "$$tf" ] && $(MAKE) -s .venv-tf215/installed TF_PYTHON="$$tf"; then \
	    $(PY) benchmarks/run.py --tensorflow $(TF_PY) $(ARGS); \
	else \
	    [ -n "$$tf" ] || echo "No Python 3.9, 3.10 or 3.11 found, which TensorFlow 2.15 needs" \
	        "(make bench TF_PYTHON=/path/to/python3.11)."; \
	    echo "Timing tinyflow alone."; \
	    $(PY) benchmarks/run.py $(ARGS); \
	fi

# $(call make_venv,python,folder,condition,wanted)
define make_venv
	@[ -n "$(1)" ] && "$(1)" -c 'import sys; v = sys.version_info[:2]; sys.exit(not ($(3)))' \
	    2>/dev/null || { echo "$(2) needs Python $(4), and '$(1)' is none." \
	        "Name one: make PYTHON=... (for tinyflow), TF_PYTHON=... (for TensorFlow)." >&2; \
	    exit 1; }
	@"$(1)" -c 'import ensurepip, venv' 2>/dev/null || { \
	    echo "$(1) cannot make virtual environments. On Debian or Ubuntu:" \
	        "sudo apt install python3-venv" >&2; exit 1; }
	@echo "Setting up $(2) with $(1), once; this takes a minute or two ..."
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

.venv/installed: setup.cfg pyproject.toml
	$(call make_venv,$(PYTHON),.venv,v >= (3, 10),3.10 or newer)
	@$(PY) $(PIP) -e '.[dev]'
	@touch $@

.venv-tf215/installed:
	$(call make_venv,$(TF_PYTHON),.venv-tf215,(3, 9) <= v <= (3, 11),3.9 to 3.11)
	@$(TF_PY) $(PIP) '$(TF_PACKAGE)' 'numpy<2'
	@touch $@

clean:
	@rm -rf .venv .venv-tf215 .venv-protoc build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache
	@rm -rf .hypothesis .benchmarks
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "clean"
