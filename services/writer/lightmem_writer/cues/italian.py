"""Cues of Italian."""

from lightmem.domain.language import words
from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, opening, whole_words

ITALIAN = Cues(
    chatter=words(
        "ciao salve grazie mille prego sì no ok okay certo bene bravo brava fantastico bello "
        "wow ah oh eh beh allora dai buongiorno buonasera buonanotte a presto dopo scusa "
        "complimenti auguri esatto perfetto"
    ),
    fillers=words("ehm mmm cioè"),
    first_person=whole_words("io", "mi", "mio", "mia", "miei", "mie", "noi", "ci", r"nostr[oaie]"),
    second_person=whole_words("tu", "ti", "tuo", "tua", "tuoi", "tue", "voi", r"vostr[oaie]"),
    reaction=opening(
        r"che (?:bello|bella|bravo)",
        r"spero",
        r"sembra",
        r"(?:auguri|grazie|complimenti)",
        r"sono (?:felice|contenta?) (?:per|di)",
    ),
    negation=whole_words("non", "mai", "niente", "nulla", "nessuno", "senza"),
    kinds=(
        (MemoryKind.PLAN, whole_words("domani", r"prossim[oa]", "voglio", r"(?:vado|andiamo) a")),
        (
            MemoryKind.PREFERENCE,
            whole_words(
                "piace", "piacciono", "amo", "adoro", "preferisco", "odio", r"preferit[oaie]"
            ),
        ),
        (
            MemoryKind.EVENT,
            whole_words("ieri", r"\w+ fa", r"scors[oa]", r"(?:ho|sono|abbiamo|siamo) \w+"),
        ),
    ),
)
