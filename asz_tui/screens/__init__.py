"""The screens: the list of conversations, one conversation, help."""
