"""The training doctor: looks at training steps while they run.

probes.py finds in the graph what to look at, watch.py has it fetched along with the program's own
fetches, observed.py keeps figures of it, checks.py judges them, causes.py leaves out what only
follows from another fault, report.py shows the rest. Programs use it as `tf.doctor(session)`,
`tf.train.DoctorHook` and `tf.keras.callbacks.Doctor`.
"""
from tinyflow.inspect.doctor.training.report import TrainingReport
from tinyflow.inspect.doctor.training.session_watch import WatchedSession
from tinyflow.inspect.doctor.training.watch import TrainingDoctor

__all__ = ['TrainingDoctor', 'TrainingReport', 'WatchedSession']
