"""Pairs of statements to learn from: what overtakes what, what says the same, what holds beside."""
