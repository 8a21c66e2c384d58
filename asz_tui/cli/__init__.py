"""The command line: what was typed becomes one call of one command.

Nothing here imports Textual; a screen is opened by `commands.explore`.

`main` is the entry point; `catalog` says what commands and options there are, `parser` reads arguments by it, `helptext` prints it,
`source` finds the storage root, `output` and `progress` are the ways to the terminal, and `commands` holds one module a command.
"""
