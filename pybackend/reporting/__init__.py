"""Tables and colour for the terminal."""
