"""The command `lightmem`."""

from lightmem.cli.app import main

__all__ = ["main"]
