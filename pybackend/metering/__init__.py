"""The arithmetic of the standards: PCM in, frames out."""
