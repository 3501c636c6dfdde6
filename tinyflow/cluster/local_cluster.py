"""tf.test.create_local_cluster: servers in one process."""
from __future__ import annotations

from tinyflow.cluster import transport
from tinyflow.cluster.server import Server
from tinyflow.graph.support.errors import misuse

__all__ = ['create_local_cluster']


def create_local_cluster(num_workers, num_ps, protocol='grpc', worker_config=None, ps_config=None):
    """(workers, parameter servers): lists of started Servers at free ports of this machine."""
    for name, number in (('num_workers', num_workers), ('num_ps', num_ps)):
        if not isinstance(number, int) or number < 0:
            raise misuse(ValueError(f'{name} is a number of servers, not {number!r}.'))
    zmq = transport.zmq_module()
    held, addresses = [], []
    for _ in range(num_workers + num_ps):       # held until all are known, so that they differ
        socket = zmq.Context.instance().socket(zmq.ROUTER)
        socket.bind('tcp://127.0.0.1:*')
        held.append(socket)
        addresses.append(f'localhost:{socket.last_endpoint.decode().rpartition(":")[2]}')
    jobs = {'worker': addresses[:num_workers], 'ps': addresses[num_workers:]}
    for socket in held:
        socket.unbind(socket.last_endpoint)
        socket.close(0)
    jobs = {job: tasks for job, tasks in jobs.items() if tasks}
    made = [Server(jobs, job, i, protocol, config)
            for job, config in (('worker', worker_config), ('ps', ps_config))
            for i in range(len(jobs.get(job, ())))]
    return made[:num_workers], made[num_workers:]
