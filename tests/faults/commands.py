"""What `make fuzz` runs after the damaged files: add a row for each further command.

A command prints its own figures, and exits with another status than 0 if something was lost.
"""

COMMANDS = (
    # (title, [module, arguments of it ...])
)
