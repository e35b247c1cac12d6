"""What a dream never lets go: health, work, family, pets and plans, by their words.

A memory that touches any of these is kept however little it was used. The lists are wide on
purpose: what is kept by mistake costs a little room, what is lost by mistake costs trust.
"""

from lightmem.domain.forgetting.tokens import tokens_of
from lightmem.domain.language import words
from lightmem.model import Memory, MemoryKind

_HEALTH = words(
    "health allerg ill sick diseas doctor hospital clinic surger operat medic pill dose diagnos "
    "cancer diabet asthma pregnan blood pain injur therap vaccin disab depress anxi symptom "
    "dentist knee heart salud alergi enferm medico hospital cirug medicin embaraz sangre dolor "
    "terapi sante malad medecin hopital chirurg enceint douleur gesund krank arzt spital "
    "schwanger schmerz saude doenc gravid dor salute malatt incint 病 医 药 痛 孕 过敏 手术 健康"
)
_WORK = words(
    "work job boss colleague office compan salar career hired fired employ manager promot "
    "client profession engineer teacher nurse trabaj empleo jefe oficina empresa sueldo travail "
    "emploi patron bureau entrepris salair arbeit chef firma gehalt beruf trabalh empreg chefe "
    "salari lavor ufficio aziend stipend 工作 上班 公司 老板 工资 同事"
)
_FAMILY = words(
    "family mother father mom mum dad parent sister brother son daughter wife husband partner "
    "child children kid baby grand aunt uncle cousin niece nephew married marri wedding divorc "
    "engaged girlfriend boyfriend born birth died death funeral familia madre padre mama papa "
    "herman hij espos marid novi abuel casad boda murio nacio famill mere pere soeur frere fils "
    "fille femme mari enfant mariage famil mutter vater schwester bruder sohn tochter frau mann "
    "kind hochzeit gestorben mae pai irma irmao filh avo figli sorell fratell moglie marito 家 妈 "
    "爸 父 母 姐 妹 哥 弟 儿 女 妻 夫 孩 结婚"
)
_PETS = words(
    "pet dog cat puppy kitten horse rabbit hamster parrot perro gato cachorro caballo chien "
    "chat cheval hund katze pferd cao cachorr cane gatto cavallo 狗 猫 宠物"
)
_PLANS = words(
    "plan going will intend schedul appointment deadline trip travel flight booked reserv "
    "tomorrow next planea vuelo cita manana proxim viaj voyag rendez demain prochain reise "
    "termin morgen nachste viagem amanha viaggio domani prossim 计划 打算 明天 下 预约 旅行"
)
_STEMS = _HEALTH | _WORK | _FAMILY | _PETS | _PLANS
_SHORT = 4
_BEGINNINGS = tuple(stem for stem in _STEMS if stem.isascii() and len(stem) > _SHORT)
_WORDS = frozenset(stem for stem in _STEMS if stem.isascii() and len(stem) <= _SHORT)
_SIGNS = tuple(stem for stem in _STEMS if not stem.isascii())
#: Turns that say a thing from which it is no passing remark.
OFTEN = 3


def why_kept(memory: Memory, promoted: frozenset[str]) -> str | None:
    """Why a memory must not be forgotten by a dream; None when it may."""
    if memory.id in promoted:
        return "long-term knowledge rests on it"
    if memory.kind in {MemoryKind.PLAN, MemoryKind.RELATION}:
        return f"a {memory.kind.value} is kept"
    if len({source.turn_id for source in memory.sources}) >= OFTEN:
        return "it was said often"
    if memory.access_count > 0:
        return "it was recalled"
    if touches_what_matters(memory.text):
        return "health, work, family, pets and plans are kept"
    return None


def touches_what_matters(text: str) -> bool:
    """Whether a text speaks of health, work, family, pets or plans."""
    if any(sign in text for sign in _SIGNS):
        return True
    keys = [token.key for token in tokens_of(text)]
    return any(_matters(key) for key in keys)


def _matters(key: str) -> bool:
    return key.startswith(_BEGINNINGS) or key in _WORDS or key.removesuffix("s") in _WORDS
