"""HookCalls: the order in which hooks are called, as a table."""
from __future__ import annotations

from tinyflow.train.sessions.session_run_hook import SessionRunHook

__all__ = ['HookCalls']

METHODS = ('begin', 'after_create_session', 'before_run', 'after_run', 'end')


class HookCalls:
    """Hooks in order, and for each the methods that it defines; prints as a table.

    Every moment calls the hooks from the first to the last.
    """

    def __init__(self, hooks):
        self.rows = [(type(hook).__name__, [m for m in METHODS if _does(hook, m)])
                     for hook in hooks]

    def __str__(self):
        if not self.rows:
            return 'no hooks'
        width = max(len(name) for name, _ in self.rows)
        head = ' ' * (width + 4) + '  '.join(METHODS)
        lines = [head]
        for i, (name, used) in enumerate(self.rows, 1):
            marks = '  '.join([('x' if m in used else '.').center(len(m)) for m in METHODS])
            lines.append(f'{i:2} {name:<{width}} {marks}'.rstrip())
        lines += ['x: the hook defines the method. All hooks are called at each moment, from the '
                  'first',
                  'to the last: begin; after_create_session; around each run before_run and '
                  'after_run; end.']
        return '\n'.join(lines)

    __repr__ = __str__


def _does(hook, method):
    own = getattr(hook, method, None)
    return own is not None and \
        getattr(own, '__func__', own) is not getattr(SessionRunHook, method)
