"""One module a command; each has `run(parsed) -> int`, imported only when it is asked for."""
