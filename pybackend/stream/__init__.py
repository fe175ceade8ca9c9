"""Frames in: protocol table, codec, receiver, recordings."""
