"""Sound that needs no Live."""
