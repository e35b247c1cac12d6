"""Forgotten values, sentences that say them again, and innocent ones on the same matter."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pairs:
    """A quote and the memory made of it, and sentences to be told apart."""

    language: str
    quote: str
    memory: str
    again: Sequence[str]
    innocent: Sequence[str]
    entities: Sequence[str] = ()


#: Those that the thresholds were chosen on.
SEEN = (
    Pairs(
        "en",
        "I live in Lisbon.",
        "Ana lives in Lisbon.",
        (
            "I'm living in Lisbon these days.",
            "My home is in Lisbon.",
            "We live in LISBON now!",
            "As you know, I live in Lisbon with my cat.",
            "I still live in Lisbon.",
        ),
        (
            "I live in Madrid.",
            "Lisbon is the capital of Portugal.",
            "The flight from Lisbon was late.",
            "I live near a park.",
            "I like living by the sea.",
            "Where do you live?",
            "My brother visited Lisbon for a conference once.",
        ),
        ("Lisbon",),
    ),
    Pairs(
        "en",
        "My phone number is 555-0142.",
        "Ana's phone number is 555-0142.",
        (
            "You can reach me at 555 0142.",
            "my phone number is 5550142",
            "Call (555) 0142 after six.",
        ),
        (
            "My phone number is 555-0199.",
            "My phone is broken.",
            "I bought a new phone.",
            "What is your phone number?",
        ),
        (),
    ),
    Pairs(
        "en",
        "I was diagnosed with diabetes last year.",
        "Ana was diagnosed with diabetes.",
        (
            "Last year the doctors diagnosed me with diabetes.",
            "I was diagnosed with diabetes a year ago.",
            "I've been diagnosed with diabetes.",
            "I got diagnosed with diabetes last year, you know.",
        ),
        (
            "My doctor is very friendly.",
            "I was promoted last year.",
            "I read an article about sugar.",
            "I went to the hospital to visit my aunt.",
            "I was diagnosed with asthma last year.",
        ),
        (),
    ),
    Pairs(
        "en",
        "My salary is 48,000 euros a year.",
        "Ana earns 48,000 euros a year.",
        (
            "I earn 48000 euros a year.",
            "My yearly salary is 48,000 euros.",
            "They pay me 48,000 euros per year.",
        ),
        (
            "The car costs 48,000 kilometres of wear.",
            "My salary is too low.",
            "My salary is 52,000 euros a year.",
            "I get paid on Fridays.",
        ),
        (),
    ),
    Pairs(
        "en",
        "My sister Marta is getting divorced.",
        "Ana's sister Marta is getting divorced.",
        (
            "Marta, my sister, is getting a divorce.",
            "My sister Marta's divorce is going ahead.",
            "Marta is getting divorced, poor thing.",
        ),
        (
            "My sister Marta is getting married.",
            "My sister Marta loves chess.",
            "My cousin Eva is getting divorced.",
            "Marta is coming to dinner.",
        ),
        ("Marta",),
    ),
    Pairs(
        "en",
        "I hate my boss.",
        "Ana hates her boss.",
        ("I really hate my boss.", "I hate my boss so much!"),
        (
            "I love my boss.",
            "My boss is on holiday.",
            "I hate mondays.",
            "I had lunch with my boss.",
        ),
        (),
    ),
    Pairs(
        "en",
        "My email is ana.lopez@example.com.",
        "Ana's email is ana.lopez@example.com.",
        ("Write to ana.lopez@example.com please.", "ANA.LOPEZ@EXAMPLE.COM is my address."),
        (
            "My email is full of spam.",
            "I will email you tomorrow.",
            "Write to bob@example.com please.",
        ),
        (),
    ),
    Pairs(
        "en",
        "I drive a red Toyota.",
        "Ana drives a red Toyota.",
        ("My car is a red Toyota.", "I drive a red Toyota to work."),
        (
            "I drive a blue Honda.",
            "Toyota makes good engines.",
            "I painted the door red.",
            "I drive to work.",
        ),
        ("Toyota",),
    ),
    Pairs(
        "en",
        "I was in prison for two years.",
        "Ana was in prison for two years.",
        ("I spent two years in prison.", "For two years I was in prison."),
        (
            "I was in Spain for two years.",
            "I watched a film about a prison.",
            "I have worked here for two years.",
        ),
        (),
    ),
    Pairs(
        "en",
        "I'm allergic to peanuts.",
        "Ana is allergic to peanuts.",
        (
            "I have a peanut allergy.",
            "I am allergic to peanuts.",
            "Peanuts? I'm allergic to peanuts.",
        ),
        (
            "I'm allergic to cats.",
            "I bought peanuts for the squirrels.",
            "My son loves peanut butter.",
            "Allergy season is terrible.",
        ),
        (),
    ),
    Pairs(
        "es",
        "Vivo en la calle Mayor 14.",
        "Ana vive en la calle Mayor 14.",
        (
            "Mi casa está en la calle Mayor 14.",
            "vivo en la Calle Mayor, 14",
            "Ahora vivo en la calle Mayor 14 con mi hermano.",
        ),
        (
            "Vivo en la calle Real 3.",
            "La calle Mayor está en obras.",
            "Tengo 14 gatos.",
            "Vivo en un piso pequeño.",
        ),
        ("Mayor",),
    ),
    Pairs(
        "es",
        "Tengo diabetes desde 2019.",
        "Ana tiene diabetes desde 2019.",
        (
            "Desde 2019 tengo diabetes.",
            "Tengo diabetes desde el año 2019.",
            "En 2019 me detectaron diabetes.",
        ),
        (
            "Trabajo aquí desde 2019.",
            "Mi abuela cocina sin azúcar.",
            "Tengo clases desde septiembre.",
        ),
        (),
    ),
    Pairs(
        "es",
        "Mi hermana Marta se está divorciando.",
        "La hermana de Ana, Marta, se está divorciando.",
        (
            "Marta, mi hermana, se está divorciando.",
            "Mi hermana Marta se está divorciando por fin.",
        ),
        (
            "Mi hermana Marta se casa en junio.",
            "Mi hermana Marta juega al ajedrez.",
            "Mi prima Eva se está divorciando.",
        ),
        ("Marta",),
    ),
    Pairs(
        "es",
        "Odio a mi jefe.",
        "Ana odia a su jefe.",
        ("Odio a mi jefe, de verdad.", "La verdad, odio a mi jefe."),
        ("Mi jefe está de vacaciones.", "Odio los lunes.", "Comí con mi jefe."),
        (),
    ),
    Pairs(
        "es",
        "Mi número de cuenta es ES9121000418450200051332.",
        "El número de cuenta de Ana es ES9121000418450200051332.",
        ("La cuenta es es9121000418450200051332.", "Transfiere a ES9121000418450200051332."),
        ("Mi cuenta está vacía.", "Abrí una cuenta nueva en el banco."),
        (),
    ),
    Pairs(
        "es",
        "Estoy embarazada de tres meses.",
        "Ana está embarazada de tres meses.",
        ("Ya estoy embarazada de tres meses.", "Estoy de tres meses, embarazada."),
        (
            "Llevo tres meses en este trabajo.",
            "Mi vecina tiene un bebé.",
            "Estoy cansada de tres meses de lluvia.",
        ),
        (),
    ),
    Pairs(
        "zh",
        "我住在里斯本。",
        "安娜住在里斯本。",
        ("我现在住在里斯本。", "我住在里斯本市中心。", "我和猫住在里斯本。"),
        ("我住在马德里。", "我喜欢住在海边。", "你住在哪里？", "今天天气很好。"),
        ("里斯本",),
    ),
    Pairs(
        "zh",
        "我的电话号码是13800138000。",
        "安娜的电话号码是13800138000。",
        ("打我电话：138-0013-8000。", "我的号码是 13800138000 哦"),
        ("我的电话坏了。", "我的电话号码是13900139000。", "请给我打电话。"),
        (),
    ),
    Pairs(
        "zh",
        "我去年被诊断出糖尿病。",
        "安娜去年被诊断出糖尿病。",
        ("去年我被诊断出糖尿病。", "我被诊断出糖尿病了。", "医生去年诊断出我有糖尿病。"),
        ("我去年去了北京。", "我的医生很好。", "我去年升职了。", "这个糖很甜。"),
        (),
    ),
    Pairs(
        "zh",
        "我讨厌我的老板。",
        "安娜讨厌她的老板。",
        ("我真的讨厌我的老板。", "我讨厌我老板！"),
        ("我的老板出差了。", "我讨厌下雨。", "老板请我们吃饭。"),
        (),
    ),
    Pairs(
        "zh",
        "我妹妹小丽要离婚了。",
        "安娜的妹妹小丽要离婚了。",
        ("小丽，我妹妹，要离婚了。", "我妹妹小丽真的要离婚了。"),
        ("我妹妹小丽要结婚了。", "小丽喜欢下棋。", "我表姐要离婚了。"),
        ("小丽",),
    ),
)

#: Those that were written afterwards, and looked at once.
HELD_OUT = (
    Pairs(
        "en",
        "I was born on 3 April 1988 in Graz.",
        "Ana was born on 3 April 1988 in Graz.",
        ("I was born in Graz on 3 April 1988.", "Born in Graz, 3 April 1988, that's me."),
        (
            "I was born on a Sunday.",
            "Graz is lovely in April.",
            "My niece was born on 3 May 2015 in Linz.",
        ),
        ("Graz",),
    ),
    Pairs(
        "en",
        "My husband Tom lost his job at Siemens.",
        "Ana's husband Tom lost his job at Siemens.",
        (
            "Tom, my husband, lost his job at Siemens.",
            "Siemens let Tom go, so my husband lost his job.",
        ),
        ("My husband Tom cooks well.", "Siemens is hiring again.", "Tom found a new bike."),
        ("Tom", "Siemens"),
    ),
    Pairs(
        "en",
        "I take sertraline every morning.",
        "Ana takes sertraline every morning.",
        (
            "Every morning I take sertraline.",
            "I'm taking sertraline in the mornings.",
            "I take sertraline each morning.",
        ),
        (
            "I take the bus every morning.",
            "Every morning I drink coffee.",
            "The pharmacy opens in the morning.",
        ),
        (),
    ),
    Pairs(
        "en",
        "Our flat is at 22 Baker Street.",
        "Ana's flat is at 22 Baker Street.",
        (
            "We live at 22 Baker Street.",
            "The address is 22, Baker Street.",
            "Send it to 22 Baker Street please.",
        ),
        ("Our flat is too small.", "We saw a play about Baker Street.", "There are 22 of us."),
        ("Baker Street",),
    ),
    Pairs(
        "en",
        "I smoke a pack of cigarettes a day.",
        "Ana smokes a pack of cigarettes a day.",
        (
            "I smoke one pack of cigarettes every day.",
            "A pack of cigarettes a day is what I smoke.",
        ),
        ("I pack my bag every day.", "Cigarettes are expensive.", "I quit sugar this year."),
        (),
    ),
    Pairs(
        "en",
        "I want to leave my wife.",
        "Ana wants to leave her wife.",
        ("I want to leave my wife, you know.", "I really want to leave my wife."),
        ("My wife wants to leave early.", "I love my wife.", "I want to leave my job."),
        (),
    ),
    Pairs(
        "es",
        "Mi contraseña es tortuga42azul.",
        "La contraseña de Ana es tortuga42azul.",
        ("La clave es tortuga42azul.", "Recuerda: TORTUGA42AZUL."),
        ("Olvidé mi contraseña.", "La tortuga es azul."),
        (),
    ),
    Pairs(
        "es",
        "Mi marido Jorge perdió su trabajo.",
        "El marido de Ana, Jorge, perdió su trabajo.",
        ("Jorge, mi marido, perdió su trabajo.", "Mi marido Jorge perdió el trabajo ayer."),
        (
            "Mi marido Jorge cocina muy bien.",
            "Mi vecino perdió su perro.",
            "Jorge tiene un trabajo nuevo.",
        ),
        ("Jorge",),
    ),
    Pairs(
        "es",
        "Soy alérgica a la penicilina.",
        "Ana es alérgica a la penicilina.",
        ("Soy alérgica a la penicilina, doctor.", "Tengo alergia a la penicilina."),
        ("Soy alérgica a los gatos.", "La penicilina salvó muchas vidas."),
        (),
    ),
    Pairs(
        "es",
        "Nací en Bilbao en 1990.",
        "Ana nació en Bilbao en 1990.",
        ("En 1990 nací en Bilbao.", "Nací en Bilbao, en el año 1990."),
        ("Nací en invierno.", "Bilbao es una ciudad bonita.", "En 1990 hubo un mundial."),
        ("Bilbao",),
    ),
    Pairs(
        "zh",
        "我的工资是每月两万元。",
        "安娜的工资是每月两万元。",
        ("我每月工资两万元。", "我的工资每月是两万元。"),
        ("我的工资太低了。", "他们每月开会。", "房租是每月五千元。"),
        (),
    ),
    Pairs(
        "zh",
        "我对花生过敏。",
        "安娜对花生过敏。",
        ("我对花生严重过敏。", "花生，我过敏。"),
        ("我对猫过敏。", "我买了花生。", "孩子喜欢花生酱。"),
        (),
    ),
    Pairs(
        "zh",
        "我出生在上海。",
        "安娜出生在上海。",
        ("我是在上海出生的。", "我出生在上海市。"),
        ("我出生在北京。", "上海的天气很热。", "我下周去上海出差。"),
        ("上海",),
    ),
    Pairs(
        "zh",
        "我的身份证号是110101199003078515。",
        "安娜的身份证号是110101199003078515。",
        ("身份证：110101199003078515", "号码是 110101 19900307 8515。"),
        ("我的身份证丢了。", "请带身份证。"),
        (),
    ),
)
