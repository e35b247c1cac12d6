"""Cues of Portuguese."""

from lightmem.domain.language import words
from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, opening, whole_words

PORTUGUESE = Cues(
    chatter=words(
        "oi olá tchau obrigado obrigada por favor sim não ok okay claro bom boa bem legal "
        "ótimo uau ah oh dia tarde noite até logo parabéns desculpa exato perfeito nossa"
    ),
    fillers=words("hum é né ahn"),
    first_person=whole_words(
        "eu", "me", "mim", r"meus?", r"minhas?", "nós", "nos", r"noss[oa]s?", "a gente"
    ),
    second_person=whole_words("tu", "te", "você", "vocês", r"teus?", r"tuas?"),
    reaction=opening(
        r"que (?:bom|legal|lindo|incrível)",
        r"espero",
        r"parece",
        r"(?:parabéns|obrigad[oa]|boa sorte)",
        r"fico feliz",
        r"isso é",
    ),
    negation=whole_words("não", "nunca", "nem", "nada", "ninguém", "sem"),
    kinds=(
        (MemoryKind.PLAN, whole_words("amanhã", r"próxim[oa]", "quero", r"(?:vou|vamos) \w+r")),
        (
            MemoryKind.PREFERENCE,
            whole_words("gosto", "adoro", "amo", "prefiro", "odeio", r"favorit[oa]s?"),
        ),
        (
            MemoryKind.EVENT,
            whole_words(
                "ontem", r"há \w+ \w+", r"passad[oa]", "fui", "fomos", r"\w+(?:ei|amos|imos)"
            ),
        ),
    ),
)
