"""How Spanish says attributes.

The verb says whether it is the speaker; somebody else is named before it.
"""

import re

from lightmem.domain.attributes.model import Grammar, Rule, compiled

RELATIONS = {
    "hermana": "sister", "hermano": "brother", "madre": "mother", "mamá": "mother",
    "padre": "father", "papá": "father", "hijo": "son", "hija": "daughter", "prima": "cousin",
    "primo": "cousin", "tía": "aunt", "tío": "uncle", "sobrina": "niece", "sobrino": "nephew",
    "abuela": "grandmother", "abuelo": "grandfather", "marido": "husband", "esposo": "husband",
    "mujer": "wife", "esposa": "wife", "pareja": "partner", "novia": "girlfriend",
    "novio": "boyfriend", "jefe": "boss", "jefa": "boss", "compañera": "colleague",
    "compañero": "colleague", "colega": "colleague", "vecina": "neighbour", "vecino": "neighbour",
    "amiga": "friend", "amigo": "friend", "cuñada": "sister-in-law", "cuñado": "brother-in-law",
    "perro": "dog", "perra": "dog", "gato": "cat", "gata": "cat", "profesor": "teacher",
    "profesora": "teacher",
}  # fmt: skip

_REL = "|".join(sorted(RELATIONS, key=len, reverse=True))
_NO_NAME = (
    r"(?!(?:Yo|Tú|Él|Ella|Ellos|Ellas|Nosotros|El|La|Los|Las|Un|Una|Mi|Mis|Tu|Su|Este|Esta|Eso|Esto"
    r"|Pero|Y|Si|Cuando|Ahora|Hoy|Ayer|Mañana|Ya|No|Sí|Bueno|También|Además|En|De|Por|Para|Con|Me"
    r"|Se|Te|Nos|Le|Lo|Al|Todos|Nadie|Perdón|Vale|Pues|Hola|Gracias)\b)"
)
NAME = rf"(?-i:{_NO_NAME}[A-ZÁÉÍÓÚÑ][\w’'-]*\w(?: (?:(?:de|del|la) )?[A-ZÁÉÍÓÚÑ][\w’'-]*\w){{0,2}})"
_OTHER = (
    rf"(?<!\w)(?:(?:mi|nuestr[oa]) (?:(?P<older>otr[oa]) )?(?P<rel>{_REL})"
    rf"(?: (?P<older2>mayor|menor|pequeñ[oa]|gemel[oa]))?(?:,? (?P<relname>{NAME}),?)?"
    rf"|(?P<name>{NAME}))"
)
_ADV = (
    r"(?:(?:ahora|ya|todavía|aún|actualmente|hoy|también|por fin|finalmente|hoy en día|al final"
    r"|realmente|siempre|normalmente|recientemente|solo|sólo|antes(?P<past@>)|la verdad es que) )*"
)
_NEG = r"(?P<neg>(?:ya )?no |nunca )?"
_STOP = (
    r"(?=\s*(?:[,;:!?…—()\"\n]|\.(?:\s|$)|$)|\s+(?:y|e|pero|porque|con|desde|hace|para|después|antes"
    r"|hasta|cuando|donde|mientras|que|así|ahora|estos|en este|otra|últimamente|actualmente|el|este"
    r"|esta|próxim[oa]|en|ayer|hoy|mañana|como|de momento|en vez|también|tampoco|ya|junto|sola?|no"
    r"|por|desde|a|al|si|siempre)\b)"
)
_VALUE = rf"(?P<v>(?:(?:Dra?|Sra?|Sta)\. )?[^\s,;:!?…—()\".][^,;:!?…—()\"\n.]*?){_STOP}"
_PLACE = rf"(?!(?:un|una|el|la|los|las|mi|su|otro|otra)\b(?! \w+ (?:de|del)\b)){_VALUE}"
_JOBS = (
    r"(?:profesora?|maestr[oa]|enfermer[oa]|médic[oa]|doctora?|ingenier[oa]|programadora?"
    r"|desarrolladora?|diseñadora?|abogad[oa]|cociner[oa]|chef|contable|gerente|estudiante"
    r"|arquitect[oa]|periodista|escritora?|electricista|fontaner[oa]|conductora?|piloto|dentista"
    r"|veterinari[oa]|farmacéutic[oa]|bibliotecari[oa]|científic[oa]|investigadora?|analista"
    r"|consultora?|fotógraf[oa]|músic[oa]|artista|actor|actriz|camarer[oa]|carpinter[oa]"
    r"|mecánic[oa]|bomber[oa]|policía|traductora?|psicólog[oa]|fisioterapeuta|secretari[oa]"
    r"|jardiner[oa]|agricultora?|peluquer[oa]|guía|director|directora|jef[ea] de [\w ]+)"
)
_THINGS = {
    "teléfono": "phone number", "número de teléfono": "phone number", "número": "phone number",
    "móvil": "phone number", "correo electrónico": "email", "correo": "email", "email": "email",
    "dirección": "address", "alquiler": "rent", "renta": "rent", "sueldo": "salary",
    "salario": "salary", "contraseña del wifi": "wifi password", "contraseña": "password",
    "cumpleaños": "birthday", "talla": "size", "número de pie": "shoe size", "peso": "weight",
    "altura": "height", "coche": "car", "carro": "car", "bici": "bike", "gimnasio": "gym",
    "banco": "bank", "presupuesto": "budget", "oficina": "office", "despacho": "office",
    "habitación": "room", "vuelo": "flight", "asiento": "seat", "apellido": "surname",
    "apodo": "nickname", "grupo sanguíneo": "blood type", "meta": "goal", "objetivo": "goal",
    "nacionalidad": "nationality", "plazo": "deadline", "universidad": "university",
}  # fmt: skip
_PEOPLE = {
    "jefe": "boss", "jefa": "boss", "médico": "doctor", "médica": "doctor", "doctor": "doctor",
    "doctora": "doctor", "dentista": "dentist", "terapeuta": "therapist", "casero": "landlord",
    "casera": "landlord", "compañero de piso": "roommate", "compañera de piso": "roommate",
    "profesor": "teacher", "profesora": "teacher", "entrenador": "coach", "entrenadora": "coach",
    "abogado": "lawyer", "abogada": "lawyer", "veterinario": "vet", "veterinaria": "vet",
    "peluquera": "hairdresser", "peluquero": "hairdresser", "mejor amigo": "best friend",
    "mejor amiga": "best friend",
}  # fmt: skip
_KINDS = {
    "color": "colour", "comida": "food", "plato": "dish", "película": "film", "libro": "book",
    "canción": "song", "ciudad": "city", "bebida": "drink", "deporte": "sport", "grupo": "band",
    "estación": "season", "restaurante": "restaurant", "serie": "series", "fruta": "fruit",
    "animal": "animal", "postre": "dessert", "cafetería": "cafe", "autor": "author",
    "autora": "author", "hijos": "kids", "hermanos": "siblings", "hermanas": "sisters",
    "perros": "dogs", "gatos": "cats", "coches": "cars",
}  # fmt: skip
_EVENTS = (
    r"reunión|cita|examen|vuelo|boda|fiesta|entrevista|cena|comida|clase|entrega|conferencia"
    r"|llamada|operación|concierto|ensayo|presentación|viaje|visita"
)
_LISTS = {
    "THINGS": "|".join(sorted(_THINGS, key=len, reverse=True)),
    "PEOPLE": "|".join(sorted(_PEOPLE, key=len, reverse=True)),
}
PARTS = {
    "V": _VALUE, "PLACE": _PLACE, "NAME": NAME, "JOBS": _JOBS, "EVENTS": _EVENTS, "STOP": _STOP,
    "REL": _REL, **_LISTS,
}  # fmt: skip


def _rules_of(
    attribute: str, first: str, third: str, rest: str, *, is_open: bool = False, ends: bool = False
) -> list[Rule]:
    """A rule for the speaker and one for others, with the verbs of either.

    A verb that ends in `+` is said of what is to come.
    """
    adverbs = [_ADV.replace("@", str(n)) for n in range(2)]
    negated = f"{adverbs[0]}{_NEG}{_ADV.replace('@', '2')}".replace("(?P<past2>)", "")
    negated = negated.replace("(?P<past0>)", "(?P<past>)")
    rules = []
    for subject, verbs in (("(?<![\\w])(?P<me>)(?:(?:yo|nosotros|nosotras) )?", first),
                           (f"{_OTHER} ", third)):  # fmt: skip
        now = "|".join(verb for verb in verbs.split("|") if not verb.endswith("+"))
        ahead = "|".join(verb[:-1] for verb in verbs.split("|") if verb.endswith("+"))
        verb = f"(?:{now})" if now else "(?!)"
        if ahead:
            verb = f"(?:(?P<plan>{ahead})|{verb})"
        if verbs:
            pattern = compiled(f"{subject}{negated}{verb}{rest}", PARTS)
            rules.append(Rule(attribute, pattern, is_open, ends))
    return rules


def _rule(attribute: str, pattern: str, *, is_open: bool = False, ends: bool = False) -> Rule:
    return Rule(attribute, compiled(pattern, PARTS), is_open, ends)


_MY = r"(?<!\w)(?P<me>mi|nuestr[oa])"
_IS = (
    r"(?:(?: ahora)?(?P<neg>(?: ya)? no)? (?:es|son|ahora es|sigue siendo)|(?: ha)? cambi(?:ó|ado) a"
    r"|(?: se)?(?: ha)? (?:pasó|pasado) a ser|(?: ha)? (?:subió|subido|bajó|bajado) a| está en)"
    r"(?: ahora)?"
)
_RULES = [
    *_rules_of("lives in", "vivo|vivimos|estoy viviendo|estamos viviendo|resido|llevo [\\w ]+ viviendo",
               "vive|está viviendo|reside|viven", r"(?: ahora)?(?: con [\w ]+?)? en <V>"),
    *_rules_of("lives in", "me mudé|nos mudamos|me he mudado|nos hemos mudado|me trasladé"
               "|nos trasladamos|me voy a mudar+|nos vamos a mudar+|voy a mudarme+|vamos a mudarnos+"
               "|me mudaré+|nos mudaremos+|me mudo+",
               "se mudó|se ha mudado|se trasladó|se mudaron|se va a mudar+|se mudará+|se muda+",
               r"(?: de [\w ]{2,30}?)?(?: por fin)? a <PLACE>"),
    *_rules_of("works at", "(?<!mi )(?<!un )(?<!el )(?<!su )(?<!nuevo )trabajo|trabajamos|estoy trabajando", "trabaja|está trabajando",
               r"(?: ahora)?(?: (?:de|como) [\w ]{2,30}?)? (?:en|para) (?!casa\b|remoto)<V>"),
    *_rules_of("works at", "empecé|he empezado|comencé|empiezo+|voy a empezar+|empezaré+|entré"
               "|me incorporé|conseguí", "empezó|ha empezado|empieza+|entró|consiguió",
               r"(?: a trabajar| (?:un|mi) (?:nuevo )?(?:trabajo|puesto|empleo))?"
               r"(?: (?:de|como) [\w ]{2,30}?)? (?:en|a) (?=(?-i:[A-ZÁÉÍÓÚÑ])|la |el )"
               r"(?!el \d|enero|febrero)<V>"),
    *_rules_of("works at", "dejé|he dejado|perdí|renuncié a|he perdido|voy a dejar",
               "dejó|ha dejado|perdió|renunció a",
               r" (?:mi|el|su) (?:trabajo|empleo|puesto)(?: (?:en|de) (?P<v>[\w .'&-]{2,40}?)<STOP>)?",
               ends=True),
    *_rules_of("works at", "dejé|he dejado|me despidieron de|me fui de|renuncié a", "dejó|se fue de",
               r" (?=(?-i:[A-ZÁÉÍÓÚÑ]))<V>", ends=True),
    *_rules_of("works as", "trabajo|estoy trabajando", "trabaja|está trabajando",
               r"(?: ahora)? (?:de|como) (?!noche|día|lunes)<V>"),
    *_rules_of("works as", "soy|me hice|me he hecho|me ascendieron a", "es|se hizo",
               r"(?: ahora)?(?: un| una| el| la)? (?P<v><JOBS>)\b"),
    *_rules_of("name", "me llamo|mi nombre es|me he cambiado el nombre a|me cambié el nombre a"
               "|mi nombre ahora es", "se llama", r"(?: ahora)? (?P<v><NAME>)"),
    _rule("name", r"(?<!\w)(?P<me>ll[áa]mame|puedes llamarme) (?P<v><NAME>)"),
    *_rules_of("partner", "estoy cas[ao]d[oa]|me casé|me he casado|estoy prometid[oa]|salgo"
               "|estoy saliendo", "está casad[oa]|se casó|sale|está saliendo",
               r" con (?=(?-i:[A-ZÁÉÍÓÚÑ]))<V>"),
    _rule("partner", rf"{_MY} (?:marido|esposo|mujer|esposa|pareja|novia|novio)"
          r"(?: ahora)? (?:es|se llama) (?P<v><NAME>)"),
    *_rules_of("partner", "estoy|soy", "está|es", r"(?: ahora)? (?P<v>solter[oa]|divorciad[oa]|viud[oa])\b"),
    *_rules_of("partner", "me divorcié|me he divorciado|rompí|rompimos|nos separamos|lo dejamos"
               "|me separé|hemos roto", "se divorció|rompió|se separó",
               r"(?: (?:con|de) (?P<v><NAME>))?", ends=True),
    *_rules_of("age", "tengo|cumplí|he cumplido|acabo de cumplir", "tiene|cumplió|ha cumplido",
               r"(?: ya)? (?P<v>\d{1,3})(?: años|<STOP>)"),
    _rule("favourite <what>", rf"{_MY} (?P<what>[\w ]{{2,25}}?) (?:fa[vb]o?r\w{{2,5}}|preferid[oa]){_IS} <V>"),
    *_rules_of("prefers <what>", "prefiero|preferimos", "prefiere",
               r" (?P<v>[\w ]{2,30}?) (?:a|antes que|en vez de|en lugar de|que) (?:el |la )?(?P<what>[\w ]{2,30}?)<STOP>"),
    *_rules_of("prefers", "prefiero|preferimos", "prefiere", r" (?:ahora )?<V>"),
    *_rules_of("drives", "conduzco|manejo", "conduce|maneja", r"(?: ahora)? (?:un|una|mi) <V>"),
    *_rules_of("studies at", "estudio|estoy estudiando|me matriculé|me he matriculado|estudiamos",
               "estudia|está estudiando|se matriculó", r"(?: (?!en\b)[\w ]{2,30}?)? en <V>"),
    *_rules_of("studies", "estudio|estoy estudiando|me cambié a|me he cambiado a",
               "estudia|está estudiando|se cambió a", r" (?!en\b|con\b|para\b|a\b|mucho\b)<V>"),
    *_rules_of("diet", "soy|me hice|me he hecho|me volví", "es|se hizo",
               r"(?: ahora)? (?P<v>vegan[oa]|vegetarian[oa]|pescetarian[oa])\b"),
    *_rules_of("diet", "vuelvo a|he vuelto a|volví a", "vuelve a|ha vuelto a", r" (?P<v>comer) (?:carne|pescado)"),
    *_rules_of("number of <what>", "tengo|tenemos", "tiene",
               r" (?P<v>un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|\d{1,3})"
               r" (?P<what>hijos|hermanos|hermanas|perros|gatos|coches)\b"),
    _rule("<what>", rf"{_MY} (?:nuev[oa] )?(?P<what><THINGS>)(?: nuev[oa])?{_IS}"
          r" (?=(?:(?:de|unos|un|una|el) )*(?:\d|(?-i:[A-ZÁÉÍÓÚÑ+€$])|un |una |el |[\w.+-]+@))"
          r"(?P<v>[^\s,;:!?…—()\"\n][^,;!?…—()\"\n]*?)(?=\s*(?:[,;!?…—()\"\n]|\.(?:\s|$)|$)|\s+(?:y"
          r"|pero|ahora|porque|desde|no)\b)"),
    _rule("<what>", rf"{_MY} (?:nuev[oa] )?(?P<what><PEOPLE>){_IS}"
          r" (?P<v>(?:(?:el|la) )?(?:Dra?\.?|doctora?|señora?)? ?<NAME>)"),
    _rule("<what>", rf"{_MY} (?:nuev[oa] )?(?P<what><PEOPLE>)(?: ahora)? se llama (?P<v><NAME>)"),
    _rule("when is <what>", r"(?<!\w)(?P<me>la|el|mi|nuestra|nuestro) (?P<what>(?:<EVENTS>)(?: (?:con|de|del)"
          r" (?:el |la |mi )?\w+)?)(?:(?P<neg> no)? (?:es|será)|(?: se)?(?: ha)? (?:movió|movido"
          r"|cambió|cambiado|aplazó|aplazado|pasó|pasado|adelantó|adelantado|retrasó|retrasado))"
          r"(?: ahora)?(?: (?:el|al|para el|a la|a las|a))? (?P<v>(?:próximo )?(?:lunes|martes|miércoles"
          r"|jueves|viernes|sábado|domingo|\d+)[\w :]*?)"
          r"(?=\s*(?:[,;!?…—()\"\n]|\.(?:\s|$)|$)|\s+(?:y|pero|porque|no)\b)"),
    *_rules_of("likes", "me gustan?|me encantan?|nos gustan?|nos encantan?|adoro|me chiflan?", "",
               r"(?: mucho| muchísimo)? (?!que\b|ver\b)<V>", is_open=True),
    *_rules_of("likes", "odio|detesto|no soporto|me cansé de|no aguanto", "odia|detesta",
               r" (?!que\b)<V>", is_open=True, ends=True),
    *_rules_of("likes", "", "le gustan?|le encantan?", r" (?!que\b)<V>", is_open=True),
    *_rules_of("allergic to", "soy|somos", "es", r" (?:alérgic[oa]s?|intolerante) (?:al?|a la|a los|a las) <V>",
               is_open=True),
    *_rules_of("plays", "toco|juego|tocamos|jugamos", "toca|juega", r" (?:a |al )?(?!con\b)<V>", is_open=True),
    *_rules_of("plays", "dejé de|he dejado de|voy a dejar de", "dejó de", r" (?:tocar|jugar)(?: al?)? <V>",
               is_open=True, ends=True),
    *_rules_of("smokes", "fumo|fumamos|vuelvo a fumar|he vuelto a fumar", "fuma", r"\b(?P<v>)", is_open=True),
    *_rules_of("smokes", "dejé de fumar|he dejado de fumar", "dejó de fumar", r"(?P<v>)",
               is_open=True, ends=True),
    *_rules_of("drinks", "bebo|tomo", "bebe|toma", r" (?P<v>café|alcohol|té|leche|vino|cerveza)\b",
               is_open=True),
    *_rules_of("drinks", "dejé|he dejado|dejé de tomar|he dejado de tomar|dejé de beber"
               "|he dejado de beber", "dejó|dejó de tomar|dejó de beber",
               r" (?:el |la )?(?P<v>café|alcohol|té|leche|vino|cerveza)\b", is_open=True, ends=True),
]  # fmt: skip

_UY = r"(?:no|perdona?|perdón|espera|ay|uy)[,.!…-]*"
_ES = r"(?:es|era|eran|fue|fueron|son)"
_FRAGMENT = (
    r"^(?:(?:no|perdón|perdona|espera|ay|uy|bueno|ah|sí|y|lo siento)[,.!¡…\s-]*)*"
    r"(?:(?:quise decir|quería decir|quiero decir|me equivoqué[^\w]+(?:es|era|son)?|corrijo[:,]?"
    r"|mejor dicho[:,]?|en realidad,? (?:es|era|son)|no[,;]? (?:es|era|son)|me he equivocado"
    r"[^\w]+(?:es|era|son)?|debería ser|me confundí[^\w]+(?:es|era|son)?"
    rf"|{_UY}(?: {_ES})?(?= (?:el |la |los |las |unos |unas )*[€$]?\d)"
    rf"|{_UY} {_ES}(?= (?:en |de )?(?-i:[A-ZÁÉÍÓÚÑ])))(?: en| a| de)?)"
    r" (?P<v>[^,;:!?…—()\"\n]+?)(?=[,;:!?…—()\"\n]|\.(?:\s|$)|\s+(?:no|y)\b|$)"
)
SPANISH = Grammar(
    language="es",
    rules=_RULES,
    relations=RELATIONS,
    names={**_THINGS, **_PEOPLE, **_KINDS},
    trimmed=re.compile(
        r"^(?:(?:el|la|los|las|un|una|unos|unas|mi|mis|su|de|del|en|al|a|unos|ahora|mucho|solo)\s+)+"
        r"|\s+(?:ahora|otra vez|también|años|ya)$",
        re.IGNORECASE,
    ),
    lasting=re.compile(r"\b(?:desde|hace|llevo)\b", re.IGNORECASE),
    correction=re.compile(
        r"\b(?:quise decir|quería decir|me equivoqué|me he equivocado|corrijo|mejor dicho"
        r"|en realidad|me confundí|perdon[ae]?,|espera,|perdón, (?:es|mi|no)|no, (?:es|era|mi))",
        re.IGNORECASE,
    ),
    fragment=re.compile(_FRAGMENT, re.IGNORECASE),
    retraction=re.compile(
        r"\b(?:ya no|cancel\w+|suspend\w+|al final no|he dejado|dejé|cambié de (?:idea|opinión)"
        r"|(?:ha|hemos|han) dejado|dej(?:ó|amos|aron)|se (?:acab|termin)(?:ó|aron)|se ha acabado"
        r"|(?:me|nos|se) (?:borr|sal)(?:é|í|ó|ió|amos|imos)|(?:me|se) d(?:i|io) de baja"
        r"|(?:me|le|nos) (?:ha|han) quitado|(?:quedó|quedado) en nada|no salió adelante"
        r"|he cambiado de (?:idea|opinión)|decidí no|no vamos a|no voy a)\b",
        re.IGNORECASE,
    ),
    negation=re.compile(r"\b(?:no|nunca|jamás|sin|tampoco|nadie|nada)\b", re.IGNORECASE),
    antonyms=[
        frozenset(pair.split())
        for pair in (
            "abierto cerrado", "abierta cerrada", "libre ocupado", "sano enfermo", "caliente frío",
            "temprano tarde", "lleno vacío", "vivo muerto", "casado soltero",
        )
    ],
)  # fmt: skip
