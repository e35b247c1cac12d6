"""Cues of German."""

from lightmem.domain.language import words
from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, opening, whole_words

GERMAN = Cues(
    chatter=words(
        "hallo hi hey tschüss danke bitte ja nein doch ok okay genau toll super klasse cool "
        "schön prima wow oh ah ach na gut also naja haha guten morgen tag abend bis bald "
        "später sehr glückwunsch herzlichen dank stimmt klar sorry"
    ),
    fillers=words("äh ähm hm tja"),
    first_person=whole_words("ich", "mich", "mir", r"mein\w*", "wir", "uns", r"unser\w*"),
    second_person=whole_words("du", "dich", "dir", r"dein\w*", "ihr", "euch", r"euer\w*", "Ihnen"),
    reaction=opening(
        r"das (?:ist|klingt|war|hört sich|freut)",
        r"wie (?:schön|toll|cool)",
        r"klingt",
        r"(?:viel glück|gute besserung|danke|alles gute|glückwunsch|erzähl|sag)",
        r"ich hoffe",
        r"(?:es )?freut mich",
        r"ich freue mich für",
    ),
    negation=whole_words("nicht", r"kein\w*", "nie", "niemals", "nichts", "niemand", "ohne"),
    kinds=(
        (
            MemoryKind.PLAN,
            whole_words(r"(?:werde|werden|will|wollen|möchte|plane)", "morgen", r"nächste\w*"),
        ),
        (
            MemoryKind.PREFERENCE,
            whole_words("liebe", "mag", "gern", "gerne", "lieber", "hasse", r"lieblings\w*"),
        ),
        (
            MemoryKind.EVENT,
            whole_words(
                "gestern", r"vor \w+ \w+", r"letzte\w*", r"(?:habe|bin|haben|sind) .*ge\w+"
            ),
        ),
    ),
)
