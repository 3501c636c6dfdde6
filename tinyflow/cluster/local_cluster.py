"""tf.test.create_local_cluster: servers in one process."""
from __future__ import annotations

from tinyflow.cluster import transport
from tinyflow.cluster.ports import free_ports
from tinyflow.cluster.server import Server
from tinyflow.graph.support.errors import misuse

__all__ = ['create_local_cluster']


def create_local_cluster(num_workers, num_ps, protocol='grpc', worker_config=None, ps_config=None):
    """(workers, parameter servers): lists of started Servers at free ports of this machine."""
    for name, number in (('num_workers', num_workers), ('num_ps', num_ps)):
        if not isinstance(number, int) or number < 0:
            raise misuse(ValueError(f'{name} is a number of servers, not {number!r}.'))
    transport.zmq_module()          # first of all: it may be missing
    addresses = [f'localhost:{port}' for port in free_ports(num_workers + num_ps)]
    jobs = {'worker': addresses[:num_workers], 'ps': addresses[num_workers:]}
    jobs = {job: tasks for job, tasks in jobs.items() if tasks}
    made = [Server(jobs, job, i, protocol, config)
            for job, config in (('worker', worker_config), ('ps', ps_config))
            for i in range(len(jobs.get(job, ())))]
    return made[:num_workers], made[num_workers:]
