"""How much of each part is heard beside the others, from frames of every track."""
