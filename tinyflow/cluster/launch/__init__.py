"""`python -m tinyflow launch`: starts a program once for each task of a cluster, and watches it.

`tasks.py` says which processes there are and what each is given, `running.py` holds one of them,
`job.py` watches all of them, `guard.py` ends them if the launcher itself is killed.
"""
