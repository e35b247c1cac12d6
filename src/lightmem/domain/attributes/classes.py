"""What is preferred within what: a preference of one drink says nothing about seats."""

_MEMBERS = {
    "drink": "coffee tea juice water beer wine espresso latte cocoa milk soda decaf matcha kombucha "
    "café té zumo jugo agua cerveza vino leche 咖啡 茶 绿茶 红茶 果汁 水 啤酒 牛奶 可乐 奶茶",
    "seat": "window aisle ventanilla pasillo 靠窗 靠窗的座位 过道 靠过道 靠过道的座位",
    "time of day": "morning mornings evening evenings afternoon afternoons night nights mañana "
    "mañanas tarde tardes noche noches 早上 上午 下午 晚上",
    "way to be reached": "email emails call calls phone text texts messages whatsapp correo "
    "llamadas teléfono mensajes 电话 邮件 短信 微信",
    "way to travel": "train trains plane planes bus car bike bicycle flying driving walking tren "
    "trenes avión autobús coche bicicleta 火车 飞机 公交 地铁 自行车 开车 坐火车 坐飞机 高铁 坐高铁",
    "way to work": "home office remote remotely casa oficina 在家 办公室 在家办公",
    "pet": "dog dogs cat cats perro perros gato gatos 狗 猫",
    "place to be": "city country beach mountain mountains sea countryside playa montaña ciudad campo "
    "海边 山里 城市 乡下",
    "room temperature": "hot cold warm cool frío calor 热 冷",
    "way to read": "paper ebook ebooks audiobooks papel 纸质书 电子书",
}
_CLASS_OF = {word: name for name, words in _MEMBERS.items() for word in words.split()}


def class_of(value: str) -> str | None:
    """What kind of thing a preferred value is; None for what is of no known kind."""
    if value in _CLASS_OF:
        return _CLASS_OF[value]
    found = {_CLASS_OF[word] for word in value.split() if word in _CLASS_OF}
    return found.pop() if len(found) == 1 else None
