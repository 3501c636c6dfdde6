"""tf.config: the devices (one CPU), and their settings.

Most settings are stored and returned; without other devices they have no effect.
"""
from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace

from tinyflow.eager.function import run_functions_eagerly as experimental_run_functions_eagerly
from tinyflow.graph.support import processors
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing

PhysicalDevice = namedtuple('PhysicalDevice', ['name', 'device_type'])
LogicalDevice = namedtuple('LogicalDevice', ['name', 'device_type'])
VirtualDeviceConfiguration = namedtuple('VirtualDeviceConfiguration', ['memory_limit'],
                                        defaults=[None])

_CPU = PhysicalDevice('/physical_device:CPU:0', 'CPU')
_settings = {'soft_device_placement': False, 'log_device_placement': False, 'jit': False,
             'inter_op_parallelism_threads': 0, 'synchronous_execution': True,
             'device_policy': None, 'memory_growth': False}
_experimental_options: dict = {}


def list_physical_devices(device_type=None):
    """The devices of this machine that nodes run on: one CPU, and no GPU."""
    return [_CPU] if device_type in (None, 'CPU') else []


def list_logical_devices(device_type=None):
    """As list_physical_devices, under the names that tf.device takes."""
    return [LogicalDevice('/device:CPU:0', 'CPU')] if device_type in (None, 'CPU') else []


def get_visible_devices(device_type=None):
    """The devices that may be used: the CPU."""
    return list_physical_devices(device_type)


def set_visible_devices(devices, device_type=None):
    """Accepted as long as the CPU stays visible."""
    devices = devices if isinstance(devices, (list, tuple)) else [devices]
    if device_type in (None, 'CPU') and _CPU not in devices and device_type == 'CPU':
        raise misuse(ValueError('tinyflow runs on the CPU; it cannot be hidden.'))


def _check_device(device):
    if device != _CPU:
        raise misuse(ValueError(f'Unrecognized device: {device!r}\n  Hint: '
                                f'tf.config.list_physical_devices() gives [{_CPU}].'))


def get_memory_growth(device):
    """The stored setting for memory growth."""
    _check_device(device)
    return _settings['memory_growth']


def set_memory_growth(device, enable):
    """Accepted; the memory of a CPU always grows as needed."""
    _check_device(device)
    _settings['memory_growth'] = bool(enable)


def get_virtual_device_configuration(device):
    """None: no device is divided."""
    _check_device(device)


def set_virtual_device_configuration(device, virtual_devices):
    """Accepted for one virtual device, which is the device itself. ValueError for several."""
    _check_device(device)
    if len(virtual_devices) > 1:
        raise misuse(ValueError('tinyflow has one CPU device; it cannot be divided.'))


def _pair(key):
    """The functions that read and set one setting."""
    def read():
        return _settings[key]

    def change(value):
        _settings[key] = value
    read.__name__, change.__name__ = f'get_{key}', f'set_{key}'
    read.__doc__ = f'The setting {key}, which has no effect on a single CPU.'
    change.__doc__ = f'Stores the setting {key}; it has no effect on a single CPU.'
    return read, change


get_soft_device_placement, set_soft_device_placement = _pair('soft_device_placement')
get_log_device_placement, set_log_device_placement = _pair('log_device_placement')
_get_jit, _set_jit = _pair('jit')
_get_inter, _set_inter = _pair('inter_op_parallelism_threads')


def _get_intra():
    """The number of threads that an operation uses at most; 0: as many as pay."""
    return processors.limit()


def _set_intra(num_threads):
    """Operations use `num_threads` threads at most, where a Session's config has no number; 0: as
    many as pay, and as other programs leave processors free."""
    processors.set_limit(num_threads)


_get_synchronous, _set_synchronous = _pair('synchronous_execution')
_get_policy, _set_policy = _pair('device_policy')


def experimental_list_devices():
    """The names of all devices: one CPU."""
    return ['/job:localhost/replica:0/task:0/device:CPU:0']


def _unsupported(what):
    def refuse(*args, **kwargs):
        raise misuse(NotImplementedError(f'{what}: tinyflow runs in this process only.'))
    return refuse


experimental_connect_to_host = _unsupported('tf.config.experimental_connect_to_host')
experimental_connect_to_cluster = _unsupported('tf.config.experimental_connect_to_cluster')


experimental = SimpleNamespace(
    VirtualDeviceConfiguration=VirtualDeviceConfiguration,
    get_device_policy=_get_policy, set_device_policy=_set_policy,
    get_memory_growth=get_memory_growth, set_memory_growth=set_memory_growth,
    get_synchronous_execution=_get_synchronous, set_synchronous_execution=_set_synchronous,
    get_virtual_device_configuration=get_virtual_device_configuration,
    set_virtual_device_configuration=set_virtual_device_configuration,
    get_visible_devices=get_visible_devices, set_visible_devices=set_visible_devices,
    list_logical_devices=list_logical_devices, list_physical_devices=list_physical_devices)
threading = SimpleNamespace(
    get_inter_op_parallelism_threads=_get_inter, set_inter_op_parallelism_threads=_set_inter,
    get_intra_op_parallelism_threads=_get_intra, set_intra_op_parallelism_threads=_set_intra)
optimizer = SimpleNamespace(
    get_jit=_get_jit, set_jit=_set_jit,
    get_experimental_options=lambda: dict(_experimental_options),
    set_experimental_options=_experimental_options.update)

# The first two are not experimental since TensorFlow 2.1; some programs run on both versions.
__all__ = ['list_physical_devices', 'list_logical_devices', 'experimental',
           'experimental_connect_to_cluster', 'experimental_connect_to_host',
           'experimental_list_devices', 'experimental_run_functions_eagerly',
           'get_soft_device_placement', 'optimizer', 'set_soft_device_placement', 'threading']

__getattr__ = _explain_missing('tinyflow.session.config', __all__)


def __dir__():
    return __all__
