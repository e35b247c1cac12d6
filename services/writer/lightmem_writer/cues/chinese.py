"""Cues of Chinese."""

from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, anywhere

CHINESE = Cues(
    chatter=frozenset("嗨你好您谢再见哈嗯哦啊呀吧呢是的对好行哇太棒了真恭喜没错当然嘿"),
    fillers=frozenset("嗯啊呃"),
    first_person=anywhere("我", "咱"),
    second_person=anywhere("你", "您"),
    reaction=anywhere(
        "听起来",
        "太好了",
        "真棒",
        "恭喜",
        "加油",
        "祝你",
        "希望你",
        "谢谢",
        "没关系",
        "真的吗",
        "好厉害",
    ),
    negation=anywhere("不", "没", "无", "别", "未"),
    kinds=(
        (
            MemoryKind.PLAN,
            anywhere("打算", "计划", "准备", "明天", "下个?(?:周|月|星期)", "明年", "想要", "将"),
        ),
        (
            MemoryKind.RELATION,
            anywhere(
                "我?的?(?:妻子|丈夫|老婆|老公|姐姐|妹妹|哥哥|弟弟|妈妈|爸爸|儿子|女儿|朋友|同事)(?:叫|是)"
            ),
        ),
        (MemoryKind.PREFERENCE, anywhere("喜欢", "爱", "讨厌", "最爱", "偏好", "宁愿")),
        (MemoryKind.EVENT, anywhere("昨天", "前天", "上个?(?:周|月|星期)", "去年", "了", "过")),
    ),
)
