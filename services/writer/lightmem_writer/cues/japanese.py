"""Cues of Japanese."""

from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, anywhere

JAPANESE = Cues(
    chatter=frozenset("はいいえうんええそうねあおありがとうこんにちはばすごいよかったおめでわ"),
    fillers=frozenset(),
    first_person=anywhere("私", "僕", "俺", "わたし", "ぼく", "うち"),
    second_person=anywhere("あなた", "君", "きみ"),
    negation=anywhere("ない", "ません", "なかった"),
    kinds=(
        (MemoryKind.PLAN, anywhere("つもり", "予定", "明日", "来週", "来月", "来年", "たい")),
        (MemoryKind.PREFERENCE, anywhere("好き", "嫌い", "大好き")),
        (MemoryKind.EVENT, anywhere("昨日", "先週", "先月", "去年", "ました", "した")),
    ),
)
