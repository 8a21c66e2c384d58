"""Text made ready for a terminal: safe to print, measured in cells, worded. Knows nothing of Textual or the model."""
