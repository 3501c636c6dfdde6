"""tensorflow.python.training.monitored_session: the layers of a MonitoredSession."""
from __future__ import annotations

from tinyflow.train.sessions.hooked_session import (
    CoordinatedSession as _CoordinatedSession,
    HookedSession as _HookedSession,
    RecoverableSession as _RecoverableSession,
)

__all__ = ['_CoordinatedSession', '_HookedSession', '_RecoverableSession']
