"""The Max for Live device: its sources, and the code that knows Max's formats."""
