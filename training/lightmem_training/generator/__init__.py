"""Conversations with questions and evidence, made by rules and words of our own."""

from lightmem_training.generator.library import Library, load_library
from lightmem_training.generator.sample import Options, make_sample, make_samples

__all__ = ["Library", "Options", "load_library", "make_sample", "make_samples"]
