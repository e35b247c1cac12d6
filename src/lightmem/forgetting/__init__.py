"""Forgetting: what is struck, what it leaves, and how it is known when it is said again."""

from lightmem.forgetting.finding import FindMemories
from lightmem.forgetting.forget import ForgetMemories
from lightmem.forgetting.job import ForgetByJob
from lightmem.forgetting.screening import ROUNDS, ForgottenValues, Screened, ScreenedText

__all__ = [
    "ROUNDS",
    "FindMemories",
    "ForgetByJob",
    "ForgetMemories",
    "ForgottenValues",
    "Screened",
    "ScreenedText",
]
