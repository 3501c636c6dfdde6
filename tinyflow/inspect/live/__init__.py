"""The explorer's page of a training that runs: `python -m tinyflow explore SCRIPT`.

    server.py   serves the page, and what has become known since
    follow.py   watches the Sessions of the program
"""
from tinyflow.inspect.live.follow import Follower
from tinyflow.inspect.live.server import LiveServer

__all__ = ['Follower', 'LiveServer']
