"""Fixtures that contract suites share."""

from support.dreaming import dreamer

__all__ = ["dreamer"]
