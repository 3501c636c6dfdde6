"""tf.doctor: what is likely wrong with a graph, before it runs."""
from tinyflow.inspect.doctor.report import Finding, Report
from tinyflow.inspect.doctor.visit import doctor

__all__ = ['Finding', 'Report', 'doctor']
