"""The words of each language that look ahead or back, for `outlook.py`."""

import re

from lightmem.domain.time.outlook import Tenses


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", re.IGNORECASE)


# Past forms of verbs that do not end in -ed; those that are like their present are left out.
_IRREGULAR = (
    "was|were|wasn['’]t|weren['’]t|had|hadn['’]t|did|didn['’]t|went|got|made|took|came|saw|met"
    "|bought|thought|brought|gave|found|left|lost|ran|held|kept|knew|grew|flew|drew|threw|wrote"
    "|drove|rode|spoke|broke|chose|woke|wore|told|sold|said|paid|spent|sent|built|felt|slept"
    "|learnt|taught|caught|fought|led|fed|began|sang|swam|drank|won|stood|understood|sat|became"
    "|forgot|hid|shot|fell|ate|slid|stuck|hung|dug|swung|spun|struck|lit|bit|bent|clung|crept|dealt"
    "|dreamt|fled|forgave|froze|knelt|laid|lent|meant|mistook|overcame|rang|rose|sank|shook|shone"
    "|shrank|smelt|sought|sped|spilt|split|stole|stung|swept|swore|tore|threw|underwent|wept"
    "|withdrew|chose|heard|sewed|wound up|used to"
)
# What ends in -ed and is no past of a verb, or is as often an adjective.
_NO_PAST = (
    "need|speed|feed|seed|indeed|exceed|proceed|succeed|hundred|naked|sacred|excited|tired"
    "|interested|pleased|thrilled|worried|scared|supposed|named|based|married|engaged|wed"
)
# A perfect names no time: "I have marked the third of May" is not what was done on that day.
_NO_PERFECT = r"(?<!['’]ve\s)(?<!\bhave\s)(?<!\bhas\s)"
_PAST = rf"{_NO_PERFECT}(?:{_IRREGULAR}|(?!(?:{_NO_PAST})\b)\w{{2,}}ed)"
# Of these the present says nothing about when.
_STATES = (
    "love|like|think|know|remember|feel|believe|guess|see|hear|mean|miss|enjoy|understand|agree"
    "|bet|wonder|wish|can|could|may|might|would|never|always|usually|often|sometimes|really|just"
    "|read|cut|hit|put|set|let|hurt|cost|shut|quit|beat|also|have|has|and|or|but|in|on|at|to|of|for|from|until|since"
)
_SUBJECT = r"(?:i|we|you|they|he|she|it)"
_WANTED = r"(?:plann?(?:ed|ing)?|want|hope|hoping|intend|decide|need|have|like|expect|going) to"

ENGLISH = Tenses(
    ahead=_words(
        r"will|won['’]t|shall|should|must|gonna|let['’]s|about to|due|upcoming|soon|tomorrow",
        r"\w+['’]ll",
        r"going to|(?:have|has|got) to|gotta",
        r"(?:want|need|intend|wish|aim|decided|agreed|promised|expect|hope|hoping|ready)s? to",
        r"(?:would|\w+['’]d) (?:love|like) to",
        r"want(?:s|ing)?|hop(?:e|es|ing)|plan(?:s|ning)?(?: to| on| for)?|expect(?:s|ing)?",
        r"thinking (?:of|about)|decided on|planned for|look(?:ing)? forward|can['’]t wait",
        r"(?:\w+['’](?:ve|s)|have|has)(?: already| just)? (?:marked|booked|reserved|planned"
        r"|scheduled|set|chosen|arranged|picked|fixed|agreed)",
        r"see you|save the date|coming up|deadlines?|appointments?|is scheduled|are scheduled",
        r"(?:booked|scheduled|reserved|postponed|registered|signed up|invited|arranged|tickets?)"
        r"\b[^.;!?\n]{0,40}?\bfor",
        r"(?:\w+['’](?:m|re|s)|am|is|are)(?: not| also| just| both| finally| all)? \w{2,}ing",
    ),
    back=_words(
        rf"(?:did|had|was|were)(?: \S+){{0,4}}? {_WANTED}",
        r"(?:was|were)(?: \S+){0,3}? (?:planning|hoping|going|about to|supposed to)",
        rf"(?:did|had|was|were) {_SUBJECT} \w+",
        r"(?:have|has|\w+['’]ve) been",
        _PAST,
    ),
    present=_words(
        rf"{_SUBJECT} (?!(?:{_PAST}|{_STATES})(?!\w))[a-z]{{2,}}",
        r"is|are|am|\w+['’](?:re|m)",
        r"(?:start|begin|open|close|leave|arrive|depart|end|return|operate|happen)s?|finish(?:es)?"
        r"|gets? (?:married|engaged|back|home)"
        r"|takes? place|falls? on|turns|flies",
    ),
    clause_end=_any(r"[,;:()—–]| (?:and|but|so|because|which|who|where|when) "),
)

# Past first persons whose ending is also that of the future: "esperé" and "esperaré".
_PAST_IN_RE = (
    "esperé|miré|tiré|paré|preparé|reparé|separé|comparé|retiré|giré|admiré|operé|recuperé"
    "|superé|lloré|generé|declaré|aclaré|inspiré|respiré"
)
# What ends like a past and is none.
_NO_PRETERITE = "qué|porqué|café|bebé|josé|té|sé|mercé|comité"

SPANISH = Tenses(
    ahead=_words(
        r"(?:va|voy|vas|vamos|van|vais)(?: a)?",
        rf"(?!(?:{_PAST_IN_RE})\b)\w+[aeií]r(?:é|ás|á|emos|éis|án)",
        r"(?:tend|vend|pond|sald|podr|querr|har|dir|sabr|habr)r?(?:é|ás|á|emos|éis|án)",
        r"quier\w+|queremos|pens(?:amos|áis)|pienso|piensan?|plane\w+|esperamos|espero",
        r"pronto|próxim\w*|ojalá|(?:tengo|tenemos|tiene|tienen|hay) que|debemos|debo",
        r"(?:reserv\w+|billetes|entradas|cita)\b[^.;!?\n]{0,40}?\bpara",
    ),
    back=_words(
        r"fui|fue|fuimos|fueron|eran?|iban?|hab[ií]an?|ten[ií]an?|viv[ií]an?",
        r"estuv\w+|hic\w+|hizo|tuv\w+|vin(?:o|e|ieron)|dij\w+|pud\w+|pus(?:o|e|ieron)",
        r"\w{2,}(?:aste|iste|aron|ieron|aba|aban|ábamos|ió)",
        rf"(?!(?:{_NO_PRETERITE})\b)\w+(?:[^r\W]é|[^r\W]ó|ró|[^aeir\W]ré)",
        _PAST_IN_RE,
        r"(?:he|has|ha|hemos|han) (?:\w+(?:ado|ido)|hecho|visto|dicho|vuelto|escrito|puesto)",
    ),
    present=_words(
        r"es|son|nos vamos|me voy|se van|tengo|tenemos|hay|toca",
        r"(?:oper|empiez|comienz|lleg|cierr|termin|viaj)an?|salen?|abren?|vuel[oav]n?",
    ),
    clause_end=_any(r"[,;:()—–]| (?:y|pero|porque|cuando|donde) "),
)

CHINESE = Tenses(
    ahead=_any(
        r"(?:即?将|要|会)[^，。！？,.!?\n]{0,12}了",
        "即?将|打算|计划|准备|希望|预定|想(?!起)",
        "会(?![议员计场])|要(?![是么求])",
    ),
    back=_any("了", "过(?![年节来])", "曾", "已经?", "刚"),
    present=_any(r"(?!)"),
    clause_end=_any(r"[，；：、,;:]"),
)
