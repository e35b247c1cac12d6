"""Measures of LightMem beside simpler systems, in one run over the same data."""
