"""Frames to snapshots, and which snapshots may be compared."""
