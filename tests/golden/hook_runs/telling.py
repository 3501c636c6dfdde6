"""How a training with hooks is told: a list of calls, log lines, errors and files."""
import contextlib
import functools
import logging
import os
import re
import shutil
import tempfile

import numpy as np

METHODS = ('begin', 'after_create_session', 'before_run', 'after_run', 'end')
STANDARD = ('StopAtStepHook', 'CheckpointSaverHook', 'StepCounterHook', 'SummarySaverHook',
            'LoggingTensorHook', 'NanTensorHook', 'FinalOpsHook', 'FeedFnHook',
            'GlobalStepWaiterHook', 'ProfilerHook')
RUNS = {}


def tale(function):
    RUNS[function.__name__] = function
    return function


class Tale:
    """What happens, in order: calls of hooks, log lines, errors."""

    def __init__(self, tf, read_step):
        self.tf = tf
        self.read_step = read_step
        self.lines = []
        self.folder = tempfile.mkdtemp()

    def add(self, *parts):
        self.lines.append(' '.join([part if isinstance(part, str) else plain(part)
                                    for part in parts]))

    def mask(self, text):
        text = text.replace(self.folder, 'DIR')
        text = re.sub(r'/sec: [0-9.e+]+', '/sec: N', text)
        text = re.sub(r' at 0x[0-9a-f]+', '', text)
        return re.sub(r'\([0-9.]+ sec\)', '(N sec)', text)

    @contextlib.contextmanager
    def expecting(self, mask=False):
        """Tells of the error that ends the block; of TensorFlow's own the kind only."""
        try:
            yield
        except Exception as error:
            own = isinstance(error, self.tf.errors.OpError)
            text = '' if own or mask else self.mask(str(error).partition('\n')[0])
            self.add('!', type(error).__name__, text)
        else:
            self.add('no error')

    def files(self, folder=''):
        """The files of the folder, once each, event files without their numbers."""
        names = set()
        for name in os.listdir(os.path.join(self.folder, folder)):
            if not name.endswith('.resume'):        # tinyflow's own, see docs/resume.md
                names.add('EVENTS' if name.startswith('events.') else name)
        self.add('files', ', '.join(sorted(names)))

    def events(self, folder=''):
        """What the event files hold."""
        path = os.path.join(self.folder, folder) if folder else self.folder
        writer = self.tf.summary.FileWriterCache._cache.get(path)
        if writer:
            writer.flush()
        for name in sorted(os.listdir(path)):
            if not name.startswith('events.'):
                continue
            for event in self.tf.train.summary_iterator(os.path.join(path, name)):
                what = event.WhichOneof('what')
                told = [what, str(event.step)]
                if what == 'summary':
                    told += [value.tag for value in event.summary.value]
                elif what == 'session_log':
                    log = event.session_log
                    told += [str(log.status), self.mask(log.checkpoint_path)]
                if what != 'file_version':
                    self.add('event', ' '.join(told))


def plain(value):
    """A value or a nest of fetches, as short text."""
    if value is None or isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, dict):
        return '{%s}' % ', '.join(sorted('%s: %s' % (k if isinstance(k, str) else k.name, plain(v))
                                         for k, v in value.items()))
    if isinstance(value, (list, tuple)):
        return '[%s]' % ', '.join(plain(v) for v in value)
    if hasattr(value, 'name'):
        return value.name
    if isinstance(value, bytes):
        return 'BYTES'
    array = np.asarray(value)
    return 'BYTES' if array.dtype == object else repr(np.round(array.astype(float), 4).tolist())


class Spies(object):
    """Tells of every call of the methods of TF's hook classes while it is entered."""

    def __init__(self, told):
        self.told = told
        self.before = []

    def __enter__(self):
        for name in STANDARD:
            kind = getattr(self.told.tf.train, name)
            for method in METHODS:
                if method in vars(kind):
                    self.before.append((kind, method, vars(kind)[method]))
                    setattr(kind, method, self.spied(name, method, vars(kind)[method]))

    def __exit__(self, *_):
        for kind, method, function in self.before:
            setattr(kind, method, function)

    def spied(self, name, method, function):
        told = self.told

        @functools.wraps(function)
        def call(hook, *args, **kwargs):
            if method != 'before_run':
                told.add(name, method, *facts(method, args))
            result = function(hook, *args, **kwargs)
            if method == 'before_run':
                told.add(name, method, *request(result))
            if method == 'after_run' and args[0].stop_requested:
                told.add(name, 'asks to stop')
            return result
        return call


def facts(method, args):
    return [args[1].results] if method == 'after_run' else []


def request(args):
    if args is None:
        return ['None']
    return [args.fetches, 'feeds' if args.feed_dict else '']


def spy(told, name, fetches=None, feeds=None, stop_after=None, fails_in=None, error=None):
    """A hook that tells of its calls; it may ask for something, stop, or fail in a method."""
    tf = told.tf

    class Spy(tf.train.SessionRunHook):
        runs = 0

        def told(self, method, *parts):
            told.add(name, method, *parts)
            if fails_in == method:
                raise error or ValueError('%s of %s' % (method, name))

        def begin(self):
            self.told('begin', str(tf.get_default_graph().finalized))

        def after_create_session(self, session, coord):
            self.told('after_create_session', type(session).__name__, type(coord).__name__,
                      str(tf.get_default_graph().finalized))

        def before_run(self, run_context):
            self.told('before_run', run_context.original_args.fetches)
            if fetches is None and feeds is None:
                return None
            return tf.train.SessionRunArgs(fetches, feeds)

        def after_run(self, run_context, run_values):
            self.runs += 1
            self.told('after_run', run_values.results)
            if self.runs == stop_after:
                run_context.request_stop()

        def end(self, session):
            self.told('end', type(session).__name__)
    return Spy()


class Lines(logging.Handler):
    def __init__(self, told):
        logging.Handler.__init__(self)
        self.told = told

    def emit(self, record):
        text = self.told.mask(record.getMessage())
        for start, end in SHORTENED:
            if text.startswith(start):
                text = start + end
        if not text.startswith(UNTOLD):
            self.told.add('log', record.levelname, text)


# TF's lines of deprecation, and long texts of which the wording differs.
UNTOLD = ('From ', '\nWARNING', '\nThe TensorFlow contrib', 'Issue encountered when serializing',
          'Type is unsupported', 'The session made no steps')
SHORTENED = [('An error was raised', ' ...'), ('An OutOfRangeError or StopIteration', ' ...'),
             ('Issue encountered', ''), ('Error', '')]


def tell(tf, run, read_step):
    """The lines that a run tells."""
    told = Tale(tf, read_step)
    logger = logging.getLogger('tensorflow')
    level, handlers, propagate = logger.level, logger.handlers, logger.propagate
    logger.handlers, logger.propagate = [Lines(told)], False
    logger.setLevel(logging.INFO)
    try:
        with tf.Graph().as_default():
            run(tf, told)
    finally:
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)
        tf.summary.FileWriterCache.clear()
        shutil.rmtree(told.folder)
    return told.lines
