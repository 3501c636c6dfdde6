"""One program in several processes: servers that run stages of a graph, and all-reduce.

Nothing here is imported before a program asks for a cluster.

Servers, in the order of a run:
    remote_session.py   opens a Session with a target
    cluster_programs.py its programs: what it runs, cut into stages
    cluster_run.py      has tasks run the stages
    placement.py        which task runs an operation
    stages.py           the cut; picture.py shows it
    shipping.py         a stage as data, and back
    peers.py, client.py a task as the session sees it: in this process, in another one
    messages.py, transport.py       what is sent, and through what
    server.py, serving.py           tf.train.Server, and its thread
    task_service.py, named_store.py what a task runs and keeps, without a transport

All-reduce:
    membership.py, rendezvous.py, meeting.py    who this worker is, and how all find each other
    process_group.py                            what they exchange, by MPI
    collective_ops.py, buckets.py               the same as operations of a graph

`launch/` starts a program once for each task; `resolvers/` say where the tasks are.
"""
