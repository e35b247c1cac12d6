"""The commonest words of a conversation, in order, from conversations of our own writing.

Made by `scripts/common_words.py` from what `lightmem_training.generator` writes; names left out.
"""

from collections.abc import Mapping

_ENGLISH = (
    "i the you a it to my of that in for on was what me at and about all have your with is do "
    "it's how time like been up when so i'm did but if get we can want way out think keep from "
    "this good should had go day too hear by that's remember last make could here i'd over know "
    "new night one say i'll help just thing there things tell honestly before as then now i've "
    "right some something part not myself be got really because much since oh no everything still "
    "talking would life talk see first more are where an bit old lot long people down week small "
    "little friend start don't days picture big never question write what's into didn't love "
    "after next list matters took haha always ask thanks need told going makes take guess back "
    "thinking hey course once must stay who ever ha found best happened same okay yesterday try "
    "home nothing well sounds great came keeps look can't thought off month sure hi these end "
    "round let places enjoy place sort two stop which being quite news busy funny achieve happy "
    "again ago were bye around change many everyone evening while work full anything went during "
    "has story forget only glad phone school other getting made courage weeks head dinner whole "
    "every goes break world anyway soon use believe year lately lost film seen somebody mother "
    "three comes changed "
)
_SPANISH = (
    "me de la el en qué con lo por no a que todo te pero un mucho cierto tú se cena ti bien eh "
    "eso mí mundo tiempo casa es contento mi hay quién algo una y día si cuídate así avísame "
    "necesitas acordé atreve cómo pasa igual costó mándame fotos celebrarlo ayer puedes trabajo "
    "hablé pregunta entiendo verdad gracias cuenta las pues cambiando tema yo anoche gente está "
    "loco dormí fatal decidirme acompaña rieron vida alucina paro iba decir conmigo va anda "
    "tiemblan manos aún ando todavía creo semana apoyaron vino quedé jaja pasado hace días al fue "
    "ya como curso oye sabes más del sol compré sí encanta mira ja faltaba oír hasta eres tu hola "
    "pronto muy bravo nuevo ay ves bueno mejor interesante imagino mes mereces sigue fuiste "
    "igualmente olé uf sola buenas fin tienes digo consejo pasada final voy vaya año siente "
    "empecé siempre hice sentiste ver tan buena tiene últimamente suerte terminé estuve "
    "enhorabuena "
)
# A character is rarely a word: only particles that are one wherever they stand.
_CHINESE = "的 也 都 很 就 啊 呢 唉 挺 嘛 哎 吧 呀 哦"

#: By language, each word with its rank, from 1.
COMMON_WORDS: Mapping[str, Mapping[str, int]] = {
    language: {word: rank for rank, word in enumerate(listed.split(), start=1)}
    for language, listed in (("en", _ENGLISH), ("es", _SPANISH), ("zh", _CHINESE))
}
