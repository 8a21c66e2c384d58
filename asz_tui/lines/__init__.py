"""The line engine: rows of plain data (`line`), painted (`view`, `text_view`) by role (`theme`)."""
