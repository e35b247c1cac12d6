"""How English says attributes."""

import re

from lightmem.domain.attributes.model import Grammar, Rule, compiled

RELATIONS = {
    **{word: word for word in ["sister", "brother", "mother", "father", "son", "daughter", "cousin", "aunt", "uncle", "niece", "nephew", "grandmother", "grandfather", "husband", "wife", "partner", "girlfriend", "boyfriend", "boss", "manager", "colleague", "neighbour", "roommate", "friend", "dog", "cat", "stepmother", "stepfather"]},
    "mom": "mother", "mum": "mother", "dad": "father", "grandma": "grandmother",
    "grandpa": "grandfather", "coworker": "colleague", "co-worker": "colleague",
    "neighbor": "neighbour", "flatmate": "roommate", "best friend": "friend",
    "fiancé": "partner", "fiancée": "partner", "sister-in-law": "sister-in-law",
    "brother-in-law": "brother-in-law", "teacher": "teacher", "coach": "coach",
}  # fmt: skip

_REL = "|".join(sorted(RELATIONS, key=len, reverse=True))
#: Words that begin a sentence with a capital and are nobody's name.
_NO_NAME = (
    r"(?!(?:I|We|You|He|She|It|They|The|This|That|These|Those|My|Our|Your|His|Her|Their|And|But|So"
    r"|If|When|Then|There|Now|No|Not|Yes|Well|Actually|Also|Just|What|Who|Why|How|A|An|At|In|On"
    r"|Today|Yesterday|Tomorrow|Everyone|Someone|Nobody|Both|Some|Oh|Sorry)\b)"
)
NAME = (
    rf"(?-i:{_NO_NAME}[A-Z][\w’'-]*\w(?: (?:(?:de|del|la|van|von|da|di) )?[A-Z][\w’'-]*\w){{0,2}})"
)
_SUBJECT = (
    rf"(?<![\w'’])(?:(?P<me>i|we|the user)|(?:my|our) (?P<older>older|younger|elder|little|big"
    rf"|twin|other|oldest|youngest|ex-?)?\s?(?P<rel>{_REL})(?:,? (?P<relname>{NAME}),?)?"
    rf"|(?P<name>{NAME}))"
)
_POSSESSOR = (
    rf"(?<![\w'’])(?:(?P<me>my|our)(?! (?:{_REL})['’]s)|(?:my|our) (?P<older>older|younger|elder"
    rf"|little|big|twin|other)?\s?(?P<rel>{_REL})(?: (?P<relname>{NAME}))?['’]s|(?P<name>{NAME})['’]s)"
)
_ADV = (
    r"(?: (?:now|currently|still|just|also|recently|actually|really|already|finally|officially"
    r"|both|only|always|mostly|usually|absolutely|truly|totally|even|never))*"
)
_HEAD = (
    rf"<S>{_ADV}(?:(?P<aux>['’](?:m|re|s|ve|ll|d)| (?:am|are|is|have|has|will|was|were|had|would"
    rf"|do|does|did|wo|ca))(?=n['’]t|\b))?(?P<neg>n['’]t| not| no longer)?{_ADV}"
    r"(?P<plan> (?:going to|gonna|planning to|planning on|about to|plans? to|set to))?"
    r"(?P<past> used to)?"
)
_STOP = (
    r"(?=\s*(?:[,;:!?…—()\"\n]|\.(?:\s|$)|$)|\s+(?:and|but|or|because|with|since|for|after|before|until"
    r"|when|where|while|who|which|that|so|now|these days|at|right now|nowadays|again|any ?more"
    r"|any longer|currently|last|next|this|in|on|yesterday|today|tomorrow|ago|from|as|to|instead"
    r"|too|either|already|recently|though|together|alone|part[- ]time|full[- ]time|remotely"
    r"|permanently|temporarily|not|rather|over|than|nor|back|during|every|tonight|soon)\b)"
)
_VALUE = rf"(?P<v>(?:(?:Dr|Mr|Mrs|Ms|St|Prof)\. )?[^\s,;:!?…—()\".][^,;:!?…—()\"\n.]*?){_STOP}"
_NO_ARTICLE = r"(?!(?:a|an|the|my|her|his|our|their|your|this|that|it|them|me|you|him)\b)"
_PLACE = rf"{_NO_ARTICLE}{_VALUE}"
_JOBS = (
    r"(?:(?:software|data|civil|mechanical|electrical|head|senior|junior|lead|primary|school|high"
    r"|product|project|freelance|graphic|registered|veterinary|pastry|trainee|assistant|ux|math"
    r"|maths|music|art|english|history|science|taxi|bus|truck|train|tour|social|real)[- ])*"
    r"(?:teacher|nurse|doctor|engineer|developer|programmer|designer|lawyer|chef|cook|baker"
    r"|accountant|manager|student|architect|journalist|writer|editor|electrician|plumber|driver"
    r"|pilot|dentist|vet|pharmacist|librarian|scientist|researcher|analyst|consultant|photographer"
    r"|musician|artist|actor|actress|barista|waiter|waitress|bartender|carpenter|mechanic"
    r"|firefighter|paramedic|police officer|social worker|translator|professor|lecturer|therapist"
    r"|psychologist|physiotherapist|salesperson|recruiter|secretary|receptionist|cashier|gardener"
    r"|farmer|florist|hairdresser|tailor|guide|agent|director|principal|intern|apprentice|surgeon"
    r"|midwife|tutor|trainer|coach)"
)
_THINGS = (
    r"phone number|mobile number|phone|number|e-?mail address|e-?mail|address|home address|budget"
    r"|rent|salary|wi-?fi password|password|pin|blood type|shoe size|height|weight|target weight"
    r"|birthday|major|job title|hometown|nationality|gym|bank|flight|seat|room number|room|office"
    r"|deadline|bedtime|username|nickname|middle name|surname|last name|car|bike|laptop|school"
    r"|goal|thesis topic|research topic|commute|curfew|locker|mentor|allergy"
)
_PEOPLE = (
    r"boss|manager|supervisor|team lead|doctor|gp|dentist|therapist|landlord|landlady|roommate"
    r"|flatmate|teacher|coach|trainer|lawyer|accountant|vet|hairdresser|best friend|advisor"
    r"|neighbou?r|tutor|mentor"
)
_EVENTS = (
    r"meeting|appointment|exam|flight|wedding|party|interview|dinner|lunch|class|deadline"
    r"|conference|call|surgery|operation|concert|rehearsal|presentation|trip|delivery|visit"
)
PARTS = {
    "H": _HEAD, "S": _SUBJECT, "P": _POSSESSOR, "V": _VALUE, "PLACE": _PLACE, "NAME": NAME,
    "JOBS": _JOBS, "THINGS": _THINGS, "PEOPLE": _PEOPLE, "EVENTS": _EVENTS, "STOP": _STOP,
}  # fmt: skip


def _rule(attribute: str, template: str, *, is_open: bool = False, ends: bool = False) -> Rule:
    pattern = template.replace("<H>", _HEAD)
    return Rule(attribute, compiled(pattern, PARTS), is_open, ends)


_RULES = [
    _rule("lives in", r"<H> ?(?:(?P<was>lived)|live|lives|(?:been )?living|reside|resides|based)"
          r"(?: now| currently| mostly| together| alone)? (?:in|at|near) <V>"),
    _rule("lives in", r"<H> ?(?:(?:have )?moved|relocated|(?P<coming>moving|relocating)|move|relocate"
          r"|settled)(?: back| out| house| away| down| again| permanently)?"
          r"(?: from [\w ]{2,30}?)? (?:to|in) <PLACE>"),
    _rule("lives in", r"<H> ?(?:moved away from|moved out of|moving away from) <PLACE>", ends=True),
    _rule("works at", r"<H> ?(?:(?P<was>worked)|work|works|(?:been )?working|employed)"
          r"(?: now| currently| remotely| full-time| part-time)?(?: as [\w -]{2,40}?)? (?:at|for|by)"
          r" (?!home|myself|night)<V>"),
    _rule("works at", r"<H> ?(?:started|start|starting|begun|began|begin)"
          r"(?: (?:working|work|(?:a|my|the) (?:new )?(?:job|position|role)))?(?: as [\w -]{2,40}?)?"
          r" (?:at|with) (?!\d|the (?:start|end|beginning)|home|noon|midnight)<V>"),
    _rule("works at", r"<H> ?(?:got|get|gotten|accepted|took|landed|found|have)"
          r" (?:hired (?:by|at)|(?:a|the) (?:new )?(?:job|position|role) (?:at|with)) <V>"),
    _rule("works at", r"<H> ?(?:joined|switched(?: jobs)? to|changed jobs to) (?=(?-i:[A-Z]))<V>"),
    _rule("works at", r"<H> ?(?:quit|left|lost|resigned from|leaving|quitting) (?:my|his|her|the|our)"
          r" (?:job|position)(?: (?:at|with) (?P<v>[\w .'’&-]{2,40}?)<STOP>)?", ends=True),
    _rule("works at", r"<H> ?(?:quit|left|resigned from|retired from|(?:got |was |been )?"
          r"(?:fired|laid off) (?:from|by)) (?=(?-i:[A-Z]))<V>", ends=True),
    _rule("works as", r"<H> ?(?:(?P<was>worked)|work|works|working) as (?:an?|the) (?P<v>[\w -]{3,40}?)"
          r"<STOP>"),
    _rule("works as", r"<H> ?(?:became|become|promoted to|an?|now an?) (?:an? )?"
          r"(?:new )?(?P<v><JOBS>)\b"),
    _rule("works as", r"<P> (?:new |current )?(?:job|job title|profession|occupation)(?: is|['’]s)"
          r"(?: now)? <V>"),
    _rule("name", r"<P> (?:real |full |new |first )?name(?:(?P<aux> is| was|['’]s)(?P<neg>n['’]t| not)?"
          r"| changed to| has changed to)(?: now| actually)? (?P<v><NAME>)"),
    _rule("name", r"(?<![\w'’])(?:(?P<me>please call me|just call me|(?<!\w)call me|i go by"
          r"|i now go by|i['’]m called|i changed my name to|i['’]ve changed my name to))"
          r"(?: now)? (?P<v><NAME>)"),
    _rule("name", r"(?:my|our) (?P<older>older|younger|other|new)?\s?(?P<rel>" + _REL + r")"
          r"(?:(?:['’]s| is)(?P<neg>n['’]t| not)?(?: now)? (?:called|named)|['’]s name is"
          r"(?P<neg2> not)?) (?P<v><NAME>)"),
    _rule("partner", r"<H> ?(?:got |get |been |getting )?(?P<what2>married|engaged) to <V>"),
    _rule("partner", r"<H> ?(?:dating|seeing|started dating|in a relationship with)"
          r" (?=(?-i:[A-Z]))<V>"),
    _rule("partner", r"<P> (?:new )?(?:husband|wife|partner|girlfriend|boyfriend|fianc[eé]e?)"
          r"(?:(?: is|['’]s)(?: called| named)?|,) (?P<v><NAME>)"),
    _rule("partner", r"<H> ?(?P<v>single|divorced|separated|widowed)\b(?! (?:room|day|time|one))"),
    _rule("partner", r"<H> ?(?:got |getting |have )?(?:divorced|broke up|broken up|split up"
          r"|separated)(?: (?:with|from))?(?: (?P<v><NAME>))?", ends=True),
    _rule("age", r"<H> ?(?(aux)(?:turned |turning )?|turned )(?P<v>\d{1,3})(?: years old| now|(?= (?:today"
          r"|yesterday|last|this|in)\b)|(?=[,.;!?\n]|$))"),
    _rule("favourite <what>", r"<P> (?:new |current |all-time )?fav\w{3,7} (?P<what>[a-z][\w ]{1,24}?)"
          r"(?: used to be(?P<past>)|(?P<aux> is| are|['’]s| was| has become| became)"
          r"(?P<neg>n['’]t| not| no longer)?)(?: now| actually| still| nowadays| these days)* <V>"),
    _rule("prefers <what>", r"<H> ?prefer(?:s|red)? (?P<v>[\w '’-]{2,30}?) (?:to|over|than|rather than"
          r"|instead of) (?P<what>[\w '’-]{2,30}?)<STOP>"),
    _rule("prefers", r"<H> ?prefer(?:s|red)? <V>"),
    _rule("drives", r"<H> ?(?:drive|drives|driving) (?:an? |my |the |our )(?:new |old )?<V>"),
    _rule("studies at", r"<H> ?(?:(?P<was>studied)|study|studies|studying|enrolled|enrolling"
          r"|transferred|transferring)(?: [\w ]{2,30}?)? (?:at|to) <V>"),
    _rule("studies", r"<H> ?(?:(?P<was>studied)|study|studies|studying(?! at\b)|majoring in|switched (?:my"
          r" (?:major|degree) )?to studying|doing a degree in) (?!at\b|to\b|in\b|for\b|hard\b|with\b)<V>"),
    _rule("studies", r"<H> ?(?:changed|switched) (?:my|his|her) (?:major|degree) to <V>"),
    _rule("diet", r"<H> ?(?:an? |gone |become |became |turned |strictly |fully )*"
          r"(?P<v>vegan|vegetarian|pescatarian|omnivore|a meat eater)\b"),
    _rule("diet", r"<H> ?(?:started |back to )?(?P<v>eat|eats|eating) (?:meat|fish|chicken) again"),
    _rule("number of <what>", r"<H> ?(?:have|has|got|own|owns) (?P<v>one|two|three|four|five|six|seven"
          r"|eight|nine|ten|\d{1,3}) (?P<what>kids|children|siblings|sisters|brothers|dogs|cats"
          r"|cousins|grandchildren|cars|bikes|plants|nieces|nephews|employees)"),
    _rule("<what>", r"<P> (?:new |current |favourite )?(?P<what><THINGS>)(?: number)?"
          r"(?:(?P<aux> is| are|['’]s| was)(?P<neg>n['’]t| not| no longer)?|(?: has| have|['’]s)?"
          r" changed to| went (?:up|down) to| (?:is|got) raised to|(?: has)? (?:moved|become|became) ?"
          r"(?:to)?)(?: now| actually| currently)?(?: at| in| on)?"
          r" (?=(?:(?:about|around|only|a|an|the|to|€|\$|£)\s?)*(?:\d|(?-i:[A-Z+€$£])|a |an |to |[\w.+-]+@))"
          r"(?P<v>[^\s,;:!?…—()\"\n][^,;!?…—()\"\n]*?)(?=\s*(?:[,;!?…—()\"\n]|\.(?:\s|$)|$)|\s+(?:and|but"
          r"|now|because|since|not|instead|any ?more|these days|again|from)\b)"),
    _rule("<what>", r"<P> (?:new |current )?(?P<what><PEOPLE>)(?P<aux> is|['’]s|,)"
          r"(?P<neg>n['’]t| not| no longer)?(?: now| called| named)?"
          r" (?P<v>(?:Dr|Mr|Mrs|Ms|Prof)?\.? ?<NAME>)"),
    _rule("when is <what>", r"(?P<me>the|our|my) (?P<what>(?:[\w'’]+ ){0,2}(?:<EVENTS>)"
          r"(?: with (?:my )?\w+)?)(?:(?P<aux> is| was)(?P<neg>n['’]t| not| no longer)?"
          r"(?: now| actually)?(?: scheduled| planned| set)?| (?:has been |got |was |is |has )?(?:moved"
          r"|rescheduled|pushed(?: back)?|postponed|brought forward|changed))"
          r"(?: on| for| at| to| until)? (?P<v>(?:next |this )?(?:monday|tuesday|wednesday|thursday"
          r"|friday|saturday|sunday|january|february|march|april|may|june|july|august|september"
          r"|october|november|december|the \d+|\d+|noon|tomorrow|today)[\w :]*?)"
          r"(?=\s*(?:[,;!?…—()\"\n]|\.(?:\s|$)|$)|\s+(?:and|but|because|instead|not|from)\b)"),
    _rule("likes", r"<H> ?(?:(?:really|absolutely) )?(?:like|likes|love|loves|enjoy|enjoys|adore"
          r"|adores|am into|into|fond of|a (?:big |huge )?fan of|started (?:liking|loving|enjoying))"
          r" (?!it\b|that\b|this\b|them\b|how\b|to\b|you\b|your\b|the way\b|hearing)<V>", is_open=True),
    _rule("likes", r"<H> ?(?:hate|hates|dislike|dislikes|(?:ca|do)n['’]t stand|cannot stand|detest"
          r"|detests|went off|gone off|sick of|stopped (?:liking|loving|enjoying)|got tired of)"
          r" (?!it\b|that\b|this\b|them\b|how\b|to\b|when\b|you\b)<V>", is_open=True, ends=True),
    _rule("allergic to", r"<H> ?(?:allergic|intolerant) to <V>", is_open=True),
    _rule("plays", r"<H> ?(?:play|plays|playing|took up|take up|started playing)"
          r" (?!with\b|a (?:role|part|game)\b)<V>", is_open=True),
    _rule("plays", r"<H> ?(?:stopped|quit|quitting|gave up|given up|giving up)(?: playing)?"
          r" (?=(?:the )?(?:guitar|piano|violin|drums|cello|flute|tennis|football|soccer|basketball"
          r"|chess|golf|rugby|volleyball|hockey|padel|squash|badminton|saxophone|trumpet)\b)<V>",
          is_open=True, ends=True),
    _rule("smokes", r"<H> ?(?:smoke|smokes|started smoking|smoking again)\b(?P<v>)", is_open=True),
    _rule("smokes", r"<H> ?(?:quit|stopped|gave up|given up) smoking(?P<v>)", is_open=True, ends=True),
    _rule("drinks", r"<H> ?drinks? (?P<v>coffee|alcohol|tea|milk|wine|beer|soda)\b", is_open=True),
    _rule("drinks", r"<H> ?(?:quit|stopped|gave up|given up|cut out)(?: drinking)?"
          r" (?P<v>coffee|alcohol|tea|milk|wine|beer|soda)\b", is_open=True, ends=True),
    _rule("has a <what>", r"<H> ?(?:have|has|own|owns|adopted|got)(?: an?| my) (?:new )?"
          r"(?P<what>dog|cat|parrot|rabbit|hamster|horse|turtle)(?: (?:named|called) |, )(?P<v><NAME>)",
          is_open=True),
]  # fmt: skip

_OOPS = r"(?:no|sorry|wait|hang on|hold on|oops)[,.!…-]*"
_IT_IS = r"(?:(?:it|that)(?:['’]s| is| was)|they(?:['’]re| are| were))"
_FRAGMENT = (
    r"^(?:(?:oh|no|sorry|wait|oops|well|hm+|ah|yes|and)[,.!…\s-]*)*"
    r"(?:(?:i (?:meant|mean)(?: to say)?|i misspoke[^\w]+(?:it['’]s|it is)?|correction[:,]?|make that"
    r"|scratch that[^\w]+(?:it['’]s|it is)?|my mistake[^\w]+(?:it['’]s|it is)?|it(?:['’]s| is) actually"
    r"|actually[, ]+(?:it['’]s|it is|that['’]s|no[,;]? it['’]s)|no[,;]? it(?:['’]s| is| was)"
    r"|it should be|that should be|i said it wrong[^\w]+(?:it['’]s|it is)?"
    r"|that was wrong[^\w]+(?:it['’]s|it is)?"
    rf"|{_OOPS}(?= (?:the )?[€$£]?\d)|{_OOPS} {_IT_IS}(?= (?:(?:in|at|on|near|the) )*"
    r"(?:[€$£]?\d|(?-i:[A-Z]))))(?: in| at| on| near)?)"
    r" (?P<v>[^,;:!?…—()\"\n]+?)(?=[,;:!?…—()\"\n]|\.(?:\s|$)|\s+(?:not|instead|and)\b|$)"
)
ENGLISH = Grammar(
    language="en",
    rules=_RULES,
    relations=RELATIONS,
    names={
        **dict.fromkeys(("color",), "colour"),
        **dict.fromkeys(("e mail", "email address", "e mail address"), "email"),
        **dict.fromkeys(("phone", "number", "mobile number"), "phone number"),
        **dict.fromkeys(("movie",), "film"),
        **dict.fromkeys(("wi fi password", "wifi password"), "wifi password"),
        **dict.fromkeys(("last name",), "surname"),
        **dict.fromkeys(("home address",), "address"),
        **dict.fromkeys(("gp",), "doctor"),
        **dict.fromkeys(("landlady",), "landlord"),
        **dict.fromkeys(("children",), "kids"),
    },
    trimmed=re.compile(
        r"^(?:(?:the|a|an|my|our|his|her|their|about|around|only|on|at|in|to|really|new|some|called"
        r"|named|actually|now|just)\s+)+|\s+(?:now|again|anymore|too|actually|really|years old)$",
        re.IGNORECASE,
    ),
    lasting=re.compile(r"\b(?:since|for|all my life|ever)\b", re.IGNORECASE),
    correction=re.compile(
        r"\b(?:i meant|i misspoke|correction|my mistake|scratch that|i said it wrong|that was wrong"
        r"|i was wrong|i got (?:it|that) wrong|make that|sorry, (?:it|i|my|no)|no, (?:it|i|my|not)"
        r"|actually|i misread|i read (?:it|the) wrong|i mixed (?:it|that|them) up|hang on|hold on"
        r"|come to think of it|now that i (?:say|think|look))\b",
        re.IGNORECASE,
    ),
    fragment=re.compile(_FRAGMENT, re.IGNORECASE),
    retraction=re.compile(
        r"\b(?:any ?more|any longer|no longer|cancel(?:l?ed)?|called off|fell through|not after all"
        r"|after all|gave up|given up|quit|stopped|changed my mind|decided (?:against|not to)"
        r"|won['’]t be|isn['’]t happening|(?:to|must) (?:stop|quit|give up)|fell apart|dropped out"
        r"|(?:is|are) off(?=[,.;!]|$)|(?:is|are) over|came to an end|closed down|shut down"
        r"|signed off|unsubscribed|backed out|pulled out)\b",
        re.IGNORECASE,
    ),
    negation=re.compile(r"\b(?:not|no|never|cannot|without|\w+n['’]t)\b", re.IGNORECASE),
    antonyms=[
        frozenset(pair.split())
        for pair in (
            "open closed", "on off", "love hate", "like dislike", "married single", "hot cold",
            "early late", "morning evening", "full empty", "free busy", "sick healthy",
            "pregnant born", "renting own", "lost found", "alive dead", "vegan meat", "broken fixed",
        )
    ],
)  # fmt: skip
