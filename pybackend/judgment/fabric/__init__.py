"""Evaluators of one kind of move each: mix, transition, translation, and the way to them."""
