"""The Consolidator: dreams while nobody waits, and shows a dream before it is done."""
