"""tf.doctor: finds likely mistakes in a graph before it runs."""
from tinyflow.inspect.doctor.report import Finding, Report
from tinyflow.inspect.doctor.run_checks import doctor

__all__ = ['Finding', 'Report', 'doctor']
