"""The panes: each a row model (plain data, no Textual) and, where a line view is not enough, a thin widget."""
