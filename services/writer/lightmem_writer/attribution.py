"""Who said it: a statement that stands by itself, in the words and the language of its turn.

`Ana: We live in Lisbon.` The day it was said on goes in where the words lean on it:
`Ana (2024-05-08): We moved to Lisbon last Friday.` Names and numbers of days are the same in
every language, so nothing is translated. Without a lean, the same words said on two days stay
the same statement.
"""

from datetime import timedelta

from lightmem.model import Role, Turn

_ROLE_NAMES = {
    Role.ASSISTANT: {
        "es": "asistente",
        "fr": "assistant",
        "de": "Assistent",
        "it": "assistente",
        "pt": "assistente",
        "zh": "助手",
        "ja": "アシスタント",
        "ru": "ассистент",
    },
    Role.TOOL: {
        "es": "herramienta",
        "fr": "outil",
        "de": "Werkzeug",
        "it": "strumento",
        "pt": "ferramenta",
        "zh": "工具",
        "ja": "ツール",
        "ru": "инструмент",
    },
}


def speaker_of(turn: Turn, language: str) -> str | None:
    """Who spoke: the name that was given, else what an assistant or tool is called.

    None for the user, whose memory it is and who needs no name in it.
    """
    if turn.speaker:
        return turn.speaker
    if turn.role is Role.USER:
        return None
    return _ROLE_NAMES.get(turn.role, {}).get(language, turn.role.value)


def day_said(turn: Turn) -> str:
    """The day the turn was said on, where it was said, as `YYYY-MM-DD`."""
    local = turn.occurred_at + timedelta(minutes=turn.utc_offset_minutes)
    return local.date().isoformat()


def attribute(words: str, turn: Turn, *, language: str, dated: bool) -> str:
    """The words with their speaker, and with the day when `dated`."""
    speaker = speaker_of(turn, language)
    if dated:
        speaker = f"{speaker} ({day_said(turn)})" if speaker else day_said(turn)
    return f"{speaker}: {words}" if speaker else words
