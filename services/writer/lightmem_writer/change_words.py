"""Words that tell of a change, by language, and the topics that different words share."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ChangeWords:
    """How a language tells that something is no longer as it was.

    Args:
        swaps: Puts one thing in the place of another: switched, took over.
        ends: Ends something: gave up, cancelled.
        faint: Says only that it is so now: these days, since, ahora.
        wishes: Says what somebody thinks, wants or means to do: nothing that was so.
        adds: Says that something is so besides: also, another.
        replaced: Names what there is a new one of, as `what`: "our new landlord".
        owner: Stands before what somebody has, and a word or two between.
        oneself: The speaker as the subject.
        light: Words that two statements share by chance.
        topics: The topic of a word; two statements on one topic may be about the same.
    """

    swaps: re.Pattern[str]
    ends: re.Pattern[str]
    faint: re.Pattern[str]
    wishes: re.Pattern[str]
    adds: re.Pattern[str]
    replaced: re.Pattern[str]
    owner: str
    oneself: re.Pattern[str]
    light: frozenset[str]
    topics: Mapping[str, str]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _topics(**lists: str) -> dict[str, str]:
    return {word: topic for topic, words in lists.items() for word in words.split()}


_ENGLISH = ChangeWords(
    swaps=re.compile(
        r"\b(?:switched|swapped|replaced|traded|exchanged|shifted|moved|transferred|assigned|promoted"
        r"|upgraded|ditched|(?:took|taken|takes?) over|instead|(?:has|have|was|were|been) changed"
        r"|(?:got|have) the keys|settled into|from now on|from this \w+ on|the other way round"
        r"|(?:had|got) my [\w ]{3,20} (?:cut|dyed|redone)|come round to|converted|turned into)\b",
        re.IGNORECASE,
    ),
    ends=re.compile(
        r"\b(?:scrapped|quit|left|stopped|(?:gave|given) up(?: on)?|gone off|handed in|no longer"
        r"|any ?more|any longer|sold|retired|(?-i:[Ff]inished (?=[A-Z]))|cancell?ed|closed"
        r"|went bankrupt|cut (?:out|down)|called off|broke up|split up|fell apart|is off)\b",
        re.IGNORECASE,
    ),
    faint=re.compile(
        r"\b(?:now|nowadays|these days|since the \w+ (?:came|arrived))\b", re.IGNORECASE
    ),
    wishes=re.compile(
        r"\b(?:want|wanna|hope|hoping|wish|can['’]t wait|would|could|might|will|gonna|going to"
        r"|looking forward|think|believe|feel|guess|imagine)\b|['’](?:ll|d)\b|\?$",
        re.IGNORECASE,
    ),
    adds=re.compile(
        r"\b(?:also|too|as well|another|second|besides|in addition|one more|both|still|either"
        r"|already had|again|next to|along with|on top of)\b",
        re.IGNORECASE,
    ),
    replaced=re.compile(r"\b(?:my|our|his|her|their) new (?P<what>\w+)", re.IGNORECASE),
    owner=r"\b(?:my|our|his|her|their) (?:\w+ ){0,2}",
    oneself=re.compile(r"\b(?:i|we)\b|(?<=\w )(?:my|our)\b", re.IGNORECASE),
    light=_words(
        "get gets got getting go goes going went gone do does did doing done have has had having"
        " make makes made take takes took taking put use uses used like likes want wants know"
        " think thing things time times day days week weeks month months year years today last"
        " next one two three really just back good great lot little much many people way always"
        " usually often never mostly new now old own finally since start started first live lives"
        " come came see feel feels love loved still every morning evening night home place work"
        " left moved changed switched stopped finished"
    ),
    topics=_topics(
        home="flat house apartment home room studio place rent landlord moved live lives living"
        " cottage address keys tenant",
        work="job work works working employer employed company office boss manager desk hired"
        " salary career clinic firm bookkeeping cook chef waiter runs shift",
        journey="bus tram train bike bicycle metro subway underground commute drive car cycle walk",
        sleep="bed asleep sleep sleeps sleeping midnight bedtime nap",
        drink="coffee tea espresso drink drinks milk juice",
        eating="eat eats meat vegetarian vegan breakfast lunch dinner cereal porridge",
        school="school class teacher teaches university college",
        doctor="doctor dentist physio therapist gp",
        phone="mobile phone provider carrier sim",
        money="bank account accounts savings",
        sport="yoga gym run running football tennis swim swimming",
    ),
)
_SPANISH = ChangeWords(
    swaps=re.compile(
        r"\b(?:cambi(?:é|ó|amos|aron|ado)|pasa a|pas(?:ó|amos|é) a|mud(?:é|ó|amos|ado)|traslad\w+"
        r"|destinad[oa]s?|contrat(?:aron|ado)|en vez de|en lugar de|ascend\w+|sustitu\w+"
        r"|reemplaz\w+|las llaves|tuvimos que venir|han puesto otr[oa])\b",
        re.IGNORECASE,
    ),
    ends=re.compile(
        r"\b(?:dej(?:é|ó|amos|ado|aron)|vend(?:í|ió|imos|ido)|jubil(?:ó|ado)|cerr(?:ó|ado|aron)"
        r"|ya no|cancel\w+|suspend\w+|me (?:di|he dado) de baja|renunci\w+|devolv\w+"
        r"|se (?:acab|termin)ó)\b",
        re.IGNORECASE,
    ),
    faint=re.compile(
        r"\b(?:ahora|hoy en día|actualmente|este curso|desde el lunes)\b", re.IGNORECASE
    ),
    wishes=re.compile(
        r"\b(?:quiero|queremos|espero|ojalá|creo|pienso|siento|voy a|vamos a|gustaría)\b|\?$",
        re.IGNORECASE,
    ),
    adds=re.compile(
        r"\b(?:también|además|tampoco|otra vez|de nuevo|todavía|aún|encima|a la vez|uno más)\b",
        re.IGNORECASE,
    ),
    replaced=re.compile(r"\b(?:mi|nuestr[oa]|su) nuev[oa] (?P<what>\w+)", re.IGNORECASE),
    owner=r"\b(?:mi|nuestr[oa]|su) (?:\w+ ){0,2}",
    oneself=re.compile(
        r"\b(?:yo|me|nos|mi|mis|nuestr[oa]s?|he|hemos|doy|voy|soy|estoy)\b"
        r"|\b(?!(?:no|lo|como|cuando|pero|uno|otro|todo|mucho|poco)\b)\w+(?:o|é|í|amos|emos|imos)\b",
        re.IGNORECASE,
    ),
    light=_words(
        "ser estar tener hacer ir tengo tiene hago hace voy va día días semana mes año años ahora"
        " ya muy más siempre casi cosa cosas bien desde hasta todo toda todos nuevo nueva nuestra"
        " nuestro llama gusta quiero hoy vez veces lunes viernes"
    ),
    topics=_topics(
        home="casa piso vivo vive vivimos vivir habitación alquiler llaves",
        work="trabajo trabajando empresa oficina gestoría nóminas cuentas clases instituto",
        journey="bicicleta bici metro autobús bus tren coche tranvía moto",
        doctor="médico doctor doctora",
        partner="sale saliendo novio novia pareja",
        phone="llamarme llamáis teléfono móvil número",
        drink="café té leche",
        teacher="maestra maestro profesora profesor",
    ),
)
_CHINESE = ChangeWords(
    swaps=re.compile(
        r"换[成了到]?|改成|改到|改为|改在|改名|改了|搬[到进去来了]|搬家|跳槽|调到|调走|调了|接手|钥匙|代替|考上"
    ),
    ends=re.compile(
        r"辞[职了]|离职|离开|退休|卖了|卖掉|关门|倒闭|停了|不再|放弃|取消|毕业|装修好|退订|没有.{1,6}了"
    ),
    faint=re.compile(r"现在|如今|从此|新来的"),
    wishes=re.compile(r"希望|觉得|打算|想要?|会不会|[吗呢][？?]?$"),
    adds=re.compile(r"也|还有|另外|又|同时|除了"),
    replaced=re.compile(r"新来?的(?P<what>\w{2})|新(?P<what2>\w{2})"),
    owner=r"",
    oneself=re.compile(r"我们?"),
    light=_words(
        "我们 现在 一个 每天 一般 就是 今天 我的 了我 在我 已经 天都 的时 时候 今年 什么 他们 我家"
    ),
    topics=_topics(
        home="家 房子 搬进 搬到 住在 小屋 公寓",
        work="上班 工作 公司 医院 诊所 出版社 护士 仓库",
        journey="地铁 公交 电动车 骑车 开车 自行车 步行",
        school="高中 大学 读书 小学",
        breakfast="早饭 早餐",
        phone="手机 打我 号码",
    ),
)
CHANGE_WORDS = {"en": _ENGLISH, "es": _SPANISH, "zh": _CHINESE}
