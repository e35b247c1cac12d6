"""What nobody would miss: a passing remark that tells nothing.

"I'm so happy for you!" is true for a minute and about nothing. "I am vegan." is as short and is
for life, so it is not the length that decides: a remark may go only when all its words are of a
closed list of feeling, praise, thanks and filler, and it has no name, number or date. What other
rules keep stays kept.
"""

import re

from lightmem.domain.attributes import claims_of
from lightmem.domain.grounding import (
    Said,
    content_words,
    split_words,
    unsaid_names,
    unsaid_numbers,
)
from lightmem.domain.language import main_script, words
from lightmem.model import MemoryKind
from lightmem_consolidator.keeping import touches_what_matters
from lightmem_consolidator.known import Known

#: Words that tell nothing by themselves, each in the forms in which it is said. Verbs of doing,
#: having, becoming and feeling are left out: "I am getting better" tells a great deal.
_EMPTY = words(
    "really always also too super very pretty quite totally absolutely definitely truly so such "
    "lately recently now here there way lot lots bit much many all any both each everything "
    "everyone something anything thing things time while moment day week busy kind kinda sort "
    "excite excited exciting happy glad proud thankful grateful thank thanks appreciate "
    "appreciated lucky blessed pumped stoked thrilled awesome amazing great good nice cool fun "
    "wonderful incredible fantastic lovely special inspiring inspired inspires inspiration "
    "motivated motivating rewarding hope hoping hopeful hopefully wish luck guess believe think "
    "thought know knew mean means meant imagine see seeing look looks looking heard hear hearing "
    "say said tell talk talked talking chat chatting catch caught since wait sure true right okay "
    "ok yeah wow haha blast huge big fan difference positive matter matters count worth though "
    "best journey ive youve weve theyre youre thats its ill well "
    "muy mucho mucha muchas muchos gracias feliz contento contenta alegro alegra emocionado "
    "emocionada genial increible maravilloso bonito lindo bueno buena bien orgulloso orgullosa "
    "encanta ver veo creo pienso espero ganas animo suerte verdad claro siempre ahora todo todos "
    "algo cosa cosas poco rato momento dia semana ocupado ocupada agradezco agradecido agradecida "
    "divertido importa"
)
#: The same where they are said to somebody: "I need help" is another matter.
_TO_YOU = words(
    "support supports supporting help helps helping cheer cheering encourage encouraging "
    "encouragement listen care love like advice apoyo apoyar ayuda ayudar quiero"
)
_YOU = words("you your yours youre youve te ti tu tus vosotros ustedes os")
#: The same in Chinese, which sets no spaces: phrases, and the small signs between them.
_HAN = re.compile(
    r"(?:非常|特别|真的|开心|高兴|谢谢|感谢|感激|太棒了|太好了|不错|觉得|希望|支持你|帮你|加油|期待|"
    r"快乐|幸运|激动|骄傲|为你|[我你您们的了啊呀吧呢哈嗯很真也都就是能，。！!、\s])+"
)


def is_passing_remark(one: Known) -> bool:
    """Whether a memory is one sentence of one turn that tells nothing, of no time and nobody."""
    memory = one.memory
    if memory.kind not in {MemoryKind.FACT, MemoryKind.OTHER}:
        return False
    if memory.valid_from or memory.valid_to or len(one.turn_ids) != 1:
        return False
    if len(one.told.sayings) != 1 or _has_particulars(one):
        return False
    return _says_nothing(one.words) and not touches_what_matters(one.words)


def _says_nothing(text: str) -> bool:
    """Whether all words of a text are of those that tell nothing."""
    if main_script(text) == "Hani":
        return _HAN.fullmatch(text) is not None
    said = {word.key for word in split_words(text)}
    empty = _EMPTY | _TO_YOU if said & _YOU else _EMPTY
    return set(content_words(text)) <= empty


def _has_particulars(one: Known) -> bool:
    """Whether it names anybody but its speaker, has a number, or claims an attribute."""
    nothing = Said(())
    own = (one.speaker or "").casefold()
    return bool(
        unsaid_names(one.words, nothing)
        or unsaid_numbers(one.words, nothing)
        or any(name.casefold() != own for name in one.memory.entities)
        or claims_of(one.memory.text, language=one.memory.language, speaker=one.speaker)
    )
