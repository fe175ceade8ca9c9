"""The artistic family: concept packets, history, motifs, sections, restraint, and what follows."""
