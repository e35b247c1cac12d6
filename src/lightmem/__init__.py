"""Long-term memory for LLM applications, run by small language models."""
