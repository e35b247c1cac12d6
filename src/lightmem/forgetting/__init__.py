"""Forgetting: what is struck, what it leaves, and how it is known when it is said again."""

from lightmem.forgetting.screening import ROUNDS, ForgottenValues, Screened, ScreenedText

__all__ = ["ROUNDS", "ForgottenValues", "Screened", "ScreenedText"]
