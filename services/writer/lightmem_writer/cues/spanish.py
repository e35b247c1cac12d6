"""Cues of Spanish."""

from lightmem.domain.language import words
from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, opening, whole_words

SPANISH = Cues(
    chatter=words(
        "hola adiós chao gracias muchas por favor perdón sí no vale claro bueno pues ah oh ay "
        "guau wow genial qué bien estupendo perfecto jaja jajaja buenos buenas días tardes "
        "noches hasta luego pronto felicidades enhorabuena de acuerdo ok okay exacto de nada "
        "vaya hombre mujer increíble"
    ),
    fillers=words("eh em mmm este"),
    first_person=whole_words(
        "yo", "me", "mi", "mis", "mí", "nos", "nosotros", "nosotras", "nuestr[oa]s?"
    ),
    second_person=whole_words("tú", "tu", "tus", "te", "ti", "usted", "ustedes", "vosotr[oa]s"),
    reaction=opening(
        r"qué",
        r"me alegr[oa] (?:por|de|mucho|que|oír)",
        r"(?:eso|esto) (?:es|suena|está)",
        r"suena",
        r"espero",
        r"ojalá",
        r"(?:cuénta|díme|dime|avísa)\w*",
        r"(?:suerte|ánimo|cuídate|gracias|felicidades|enhorabuena)",
        r"(?:te|os) (?:deseo|felicito)",
    ),
    negation=whole_words("no", "nunca", "jamás", "ni", "nadie", "nada", "sin", "tampoco"),
    kinds=(
        (
            MemoryKind.PLAN,
            whole_words(
                r"(?:voy|vamos|va|van) a",
                "quiero",
                "queremos",
                "pienso",
                "planeo",
                "mañana",
                r"(?:que viene|próxim[oa])",
                r"\w+(?:aré|eré|iré|aremos|eremos|iremos)",
            ),
        ),
        (
            MemoryKind.RELATION,
            whole_words(
                r"(?:mi|nuestr[oa]) (?:esposa|esposo|mujer|marido|pareja|novi[oa]|herman[oa]|madre"
                r"|padre|hij[oa]|prim[oa]|tí[oa]|abuel[oa]|jef[ea]|amig[oa]|perr[oa]|gat[oa])"
                r"(?:,? \w+)? (?:es|está|se llama|era|vive)",
            ),
        ),
        (
            MemoryKind.PREFERENCE,
            whole_words("encanta[n]?", "gusta[n]?", "prefiero", "odio", r"favorit[oa]s?", "adoro"),
        ),
        (
            MemoryKind.EVENT,
            whole_words(
                "ayer",
                "anoche",
                r"hace \w+ \w+",
                r"pasad[oa]",
                "fui",
                "fuimos",
                "compré",
                r"\w+(?:amos|imos)",
                r"\w{2,}(?:é|í|ó)",
                r"he \w+do",
                r"hemos \w+do",
            ),
        ),
    ),
)
