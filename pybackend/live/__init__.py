"""Ableton Live from outside: where it keeps its files, what is installed there, what it says."""
