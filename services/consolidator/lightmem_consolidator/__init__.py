"""The Consolidator: dreams while nobody waits, and shows what a dream would do before it does it."""
