"""What `make fuzz` runs after the damaged files: add a row for each further command.

A command prints its own figures, and exits with another status than 0 if something was lost.
"""

COMMANDS = (
    # (title, [module, arguments of it ...])
    ('Saves and exports on a disk that is full', ['tests.faults.small_disk', '200', '1']),
    ('Ctrl-C at random moments', ['tests.session.interrupt_runs', '600', '1']),
    ('Variables read while other threads write them', ['tests.session.torn_reads', '100000', '1']),
    ('Programs killed at random moments', ['tests.kills', '100', '1']),
)
