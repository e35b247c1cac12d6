"""How Chinese says attributes."""

import re

from lightmem.domain.attributes.model import Grammar, Rule, compiled

RELATIONS = {
    "姐姐": "sister", "妹妹": "sister", "姐": "sister", "妹": "sister", "哥哥": "brother",
    "弟弟": "brother", "哥": "brother", "弟": "brother", "妈妈": "mother", "母亲": "mother",
    "妈": "mother", "爸爸": "father", "父亲": "father", "爸": "father", "儿子": "son",
    "女儿": "daughter", "表姐": "cousin", "表妹": "cousin", "表哥": "cousin", "表弟": "cousin",
    "堂姐": "cousin", "堂哥": "cousin", "阿姨": "aunt", "姑姑": "aunt", "叔叔": "uncle",
    "舅舅": "uncle", "奶奶": "grandmother", "外婆": "grandmother", "爷爷": "grandfather",
    "外公": "grandfather", "丈夫": "husband", "老公": "husband", "妻子": "wife", "老婆": "wife",
    "女朋友": "girlfriend", "男朋友": "boyfriend", "老板": "boss", "经理": "manager",
    "同事": "colleague", "邻居": "neighbour", "室友": "roommate", "朋友": "friend",
    "同学": "classmate", "老师": "teacher", "狗": "dog", "猫": "cat", "小狗": "dog", "小猫": "cat",
}  # fmt: skip

_HAN = "\u4e00-\u9fff"
_END = r"(?=[了啦啊呢吧]*(?:$|[，。！？；、,.!?;\s“”（）]))"
_REL = "|".join(sorted(RELATIONS, key=len, reverse=True))
_SURNAMES = (
    "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余"
    "潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文安"
)
#: What may follow a name.
_NEXT = (
    "现在|目前|已经|上|去|今|昨|最近|刚|也|还|在|是|不|没|住|搬|对|从|和|跟|打算|准备|计划|要|会|将|终于|下|叫|有|喜欢|更|很|讨厌"
    "|开|当|做|加入|换|定居|移居|生活|辞|离|喝|抽|戒|弹|踢|学|养|特别|一直|再也|以前|曾经|之前"
)
_NAME = rf"(?:[小老阿][{_HAN}]|[{_SURNAMES}][{_HAN}]{{1,2}}?|(?-i:[A-Z][A-Za-z]{{1,15}}))"
_SUBJECT = (
    rf"(?:(?:我们?|咱们?)(?:家)?的?(?P<older>大|二|小|另一个)?(?P<rel>{_REL})"
    rf"(?P<relname>(?!{_NEXT})(?:(?-i:[A-Z][A-Za-z]{{0,15}})|[{_HAN}]{{1,3}}?)(?=的|{_NEXT}))?|(?P<me>我们|我|咱们)|(?<![{_HAN}A-Za-z])(?P<name>{_NAME}))"
)
_FILL = r"(?P<past>以前|曾经|过去|之前|原来|原先)?(?:(?!不|没|如果|想|打算|准备|计划|将|会|要)[^，。！？；,.!?;]){0,10}?"
_NEG = r"(?P<neg>已经不|再也不|不再|不会再|没有|没|不)?(?:再|是)?"
_PLAN = r"(?P<plan>打算|准备|计划|将要|就要|要|将|会)?(?:去|在|开始)?"
_HEAD = rf"{_SUBJECT}{_FILL}{_NEG}{_PLAN}(?:已经|刚刚|刚)?"
_VALUE = rf"(?P<v>[^，。！？；、,.!?;\s“”（）—]{{1,20}}?){_END}"
_JOBS = (
    r"(?:(?:小学|中学|高中|大学|软件|前端|后端|数据|产品|项目|平面|高级|初级|实习|自由|儿科|急诊)*"
    r"(?:老师|教师|医生|护士|工程师|程序员|设计师|律师|厨师|会计|经理|学生|记者|司机|画家|作家|翻译|教授"
    r"|研究员|销售|摄影师|演员|歌手|警察|消防员|飞行员|药剂师|建筑师|牙医|兽医|教练|导游|编辑|面包师|园丁"
    r"|总监|主管|助理|顾问|分析师|咖啡师|心理咨询师))"
)
_THINGS = {
    "电话号码": "phone number", "电话": "phone number", "手机号码": "phone number",
    "手机号": "phone number", "邮箱": "email", "电子邮箱": "email", "地址": "address",
    "房租": "rent", "工资": "salary", "薪水": "salary", "密码": "password",
    "无线密码": "wifi password", "生日": "birthday", "身高": "height", "体重": "weight",
    "鞋码": "shoe size", "血型": "blood type", "预算": "budget", "车": "car", "目标": "goal",
    "专业": "studies", "办公室": "office", "房间号": "room number", "房间": "room",
    "座位": "seat", "昵称": "nickname", "国籍": "nationality", "截止日期": "deadline",
    "健身房": "gym", "银行": "bank", "航班": "flight", "学校": "school", "家乡": "hometown",
    "职位": "works as", "工作": "works as", "职业": "works as",
}  # fmt: skip
_PEOPLE = {
    "老板": "boss", "上司": "boss", "经理": "manager", "医生": "doctor", "牙医": "dentist",
    "房东": "landlord", "室友": "roommate", "老师": "teacher", "教练": "coach", "律师": "lawyer",
    "兽医": "vet", "发型师": "hairdresser", "导师": "advisor", "最好的朋友": "best friend",
}  # fmt: skip
_KINDS = {
    "颜色": "colour", "食物": "food", "菜": "dish", "电影": "film", "书": "book", "歌": "song",
    "城市": "city", "饮料": "drink", "运动": "sport", "乐队": "band", "季节": "season",
    "餐厅": "restaurant", "水果": "fruit", "动物": "animal", "甜点": "dessert", "作家": "author",
    "孩子": "kids", "女儿": "daughters", "儿子": "sons", "狗": "dogs", "猫": "cats",
}  # fmt: skip
_EVENTS = "会议|开会|面试|考试|婚礼|聚会|手术|音乐会|演唱会|课|会|航班|预约|演讲|报告|晚饭|晚餐|旅行|比赛|约会"
_INSTRUMENTS = (
    "钢琴|吉他|小提琴|大提琴|鼓|古筝|笛子|网球|篮球|足球|羽毛球|乒乓球|排球|高尔夫|象棋|围棋|麻将"
)
PARTS = {
    "H": _HEAD, "S": _SUBJECT, "V": _VALUE, "END": _END, "JOBS": _JOBS, "NAME": _NAME,
    "EVENTS": _EVENTS, "NEG": _NEG, "FILL": _FILL, "INSTRUMENTS": _INSTRUMENTS, "PLAN": _PLAN,
    "THINGS": "|".join(sorted(_THINGS, key=len, reverse=True)),
    "PEOPLE": "|".join(sorted(_PEOPLE, key=len, reverse=True)),
    "IS": r"(?:现在|目前|已经)*(?:(?P<neg>不再是|已经不是|不是)|是|叫|改成了?|换成了?|变成了?|成了|涨到了?"
          r"|降到了?|改为了?|换了)(?:现在)?",
    "MY": r"(?P<me>我|我们|咱们)(?:家|们)?的?(?:新)?",
}  # fmt: skip


def _rule(attribute: str, pattern: str, *, is_open: bool = False, ends: bool = False) -> Rule:
    once = compiled(pattern, PARTS)
    return Rule(attribute, once, is_open, ends)


_RULES = [
    _rule("lives in", r"<H>(?:住在|居住在|定居在|生活在|住)(?P<v>[^，。！？；、,.!?;\s—]{1,15}?)"
          r"(?=市?(?:生活|工作|上班)|[了啦啊呢吧]*(?:$|[，。！？；、,.!?;\s]))"),
    _rule("lives in", r"<H>(?:从[^，。]{1,10})?(?:搬到|搬去|搬家到|移居到?|迁到|搬回)了?"
          r"(?!新家|新房|一个|一套|一间)(?P<v>[^，。！？；、,.!?;\s—]{1,12}?)"
          r"(?=去?住|生活|工作|[去来]?[了啦]*(?:$|[，。！？；、,.!?;\s]))"),
    _rule("works at", r"<S><FILL><NEG><PLAN>在(?!家|这|那)(?P<v>[^，。！？；、,.!?;\s—]{1,15}?)"
          r"(?:工作|上班|任职|实习|教书|当(?:<JOBS>))"),
    _rule("works at", r"<H>(?:加入|入职|跳槽到|跳槽去|换到|进入|进)了?(?P<v>[^，。！？；、,.!?;\s—]{1,15}?)"
          r"(?=工作|上班|[了啦]*(?:$|[，。！？；、,.!?;\s]))"),
    _rule("works at", r"<H>(?:从(?P<v>[^，。！？；、,.!?;\s—]{1,15}?))?(?:辞职|离职|被裁|辞掉了?工作)", ends=True),
    _rule("works at", r"<S><FILL>离开了?(?P<v>[^，。！？；、,.!?;\s—]{1,15}?)(?=公司?[了啦]*(?:$|[，。！？；]))",
          ends=True),
    _rule("works as", r"<H>(?:是|当|做|成为了?|升为|当上了?|升职为|转行做了?|改行做了?)(?:了)?(?:一[名个位]|名|个)?"
          r"(?P<v><JOBS>)<END>"),
    _rule("name", r"(?P<me>我)(?:现在)?(?:叫|的名字是|的名字叫|改名叫|改名为|改名字叫)(?:做)?(?P<v>[^，。！？；、,.!?;\s—]{1,8}?)<END>"),
    _rule("name", r"(?P<me>叫我|请叫我|可以叫我)(?P<v>[^，。！？；、,.!?;\s—]{1,8}?)(?=就好|就行|吧|好了|[，。！]|$)"),
    _rule("name", rf"我(?:们)?(?:家)?的?(?P<older>大|小|另一只|新)?(?P<rel>{_REL})(?:的名字)?(?:现在)?叫(?:做)?"
          r"(?P<v>[^，。！？；、,.!?;\s—]{1,8}?)<END>"),
    _rule("partner", r"<S><FILL><NEG>(?:和|跟|与)(?P<v>[^，。！？；、,.!?;\s—]{1,8}?)(?P<what>结婚|订婚|领证|在一起)"),
    _rule("partner", r"(?P<me>我)的?(?:丈夫|老公|妻子|老婆|男朋友|女朋友)(?:现在)?(?:是|叫)(?P<v>[^，。！？；、,.!?;\s—]{1,8}?)<END>"),
    _rule("partner", r"<H>(?P<v>单身)"),
    _rule("partner", r"<S><FILL>(?:(?:和|跟|与)(?P<v>[^，。！？；、,.!?;\s—]{1,8}?))?(?:离婚|分手|分开)", ends=True),
    _rule("age", r"<H>(?:满)?(?P<v>\d{1,3}|[一二三四五六七八九十]{1,3})岁"),
    _rule("favourite <what>", r"(?P<me>我)(?:现在)?最(?:喜欢|爱)(?:吃|喝|看|听)?的(?P<what>[^，。！？是]{1,6}?)<IS><V>"),
    _rule("prefers <what>", r"比起(?P<what>[^，。！？；]{1,8}?)[，,]?(?P<me>我)(?:现在)?(?:更|比较)(?:喜欢|爱)(?P<neg>@)?<V>"),
    _rule("prefers", r"<S><FILL><NEG>(?:更|比较)(?:喜欢|爱)<V>"),
    _rule("prefers <what>", r"<S><FILL>(?:喜欢|爱)(?P<v>[^，。！？；]{1,8}?)(?:多过|胜过|多于)(?P<what>[^，。！？；]{1,8}?)<END>"),
    _rule("drives", r"<H>开(?:的是|一辆|的是一辆)(?P<v>[^，。！？；、,.!?;\s—]{1,12}?)<END>"),
    _rule("studies at", r"<S><FILL><NEG><PLAN>在(?P<v>[^，。！？；、,.!?;\s—]{1,15}?)(?:上学|读书|念书|读研|读博|上大学|念大学|学习)"),
    _rule("studies", r"<H>(?:学的?是?|主修|读的?是?|改学了?|转到了?|改读)(?P<v>[^，。！？；、,.!?;\s—]{1,10}?)(?=专业|系)"),
    _rule("diet", r"<H>(?:是|成了|变成了?)?(?:一个)?(?P<v>素食者|素食主义者|纯素者|纯素主义者|吃素)"),
    _rule("diet", r"<H>又?(?:开始)?(?P<v>吃肉)(?=了)"),
    _rule("number of <what>", r"<H>有(?P<v>[一两二三四五六七八九十]|\d{1,2})(?:个|只|条|辆)(?P<what>孩子|女儿|儿子|狗|猫)"),
    _rule("<what>", r"<MY>(?P<what><THINGS>)<IS>(?P<v>[^，。！？；、,!?;“”（）—]{1,30}?)(?=[了啦啊呢吧]*(?:$|[，。！？；,!?;]))"),
    _rule("<what>", r"<MY>(?P<what><PEOPLE>)(?:现在)?(?:(?P<neg>不再是)|是|叫|换成了?)(?P<v>[^，。！？；、,.!?;\s—]{1,10}?)<END>"),
    _rule("when is <what>", r"(?P<me>)(?P<what>(?:和[^，。]{1,6}的)?(?:<EVENTS>))(?:的时间)?(?P<neg>不)?"
          r"(?:是|在|定在了?|改到了?|改在了?|推迟到了?|提前到了?|挪到了?|改成了?)"
          r"(?P<v>(?:下|这|本)?(?:周|星期|礼拜)[一二三四五六日天][^，。！？；]{0,8}?|[明后]天[^，。！？；]{0,6}?|\d+[月号点日][^，。！？；]{0,10}?)<END>"),
    _rule("likes", r"<H>(?:很|最|特别|非常|超)?(?<!更)(?<!比较)(?:喜欢|爱)(?!的)(?:吃|喝|看|听|玩)?<V>", is_open=True),
    _rule("likes", r"<H>(?:很|最|特别|非常|开始)?(?:讨厌|恨|受不了|腻了|不爱|不喜欢)(?:吃|喝|看|听|玩)?<V>",
          is_open=True, ends=True),
    _rule("allergic to", r"<S><FILL><NEG>对(?P<v>[^，。！？；、,.!?;\s—]{1,8}?)(?P<neg2>不)?(?:已经)?过敏", is_open=True),
    _rule("plays", r"<H>(?:弹|拉|打|踢|下|吹|学|玩)(?P<v><INSTRUMENTS>)", is_open=True),
    _rule("plays", r"<S><FILL>(?:放弃了?|停止了?|戒了?)(?:弹|拉|打|踢|下|吹|学|玩)?(?P<v><INSTRUMENTS>)",
          is_open=True, ends=True),
    _rule("smokes", r"<H>(?:抽烟|吸烟)(?P<v>)", is_open=True),
    _rule("smokes", r"<S><FILL>(?:戒烟|戒了烟|把烟戒)(?P<v>)", is_open=True, ends=True),
    _rule("drinks", r"<H>喝(?P<v>咖啡|酒|茶|牛奶|可乐)", is_open=True),
    _rule("drinks", r"<S><FILL>(?:戒了?|戒掉了?)(?P<v>咖啡|酒|茶|牛奶|可乐)", is_open=True, ends=True),
]  # fmt: skip

_FRAGMENT = (
    r"^(?:(?:不|哦|啊|对不起|抱歉|等等|不对|哎呀|嗯)[，,。！\s]*)*"
    r"(?:我?(?:刚才|刚刚)?(?:说错|口误|搞错|记错|弄错|打错)了?[，,。：:]?(?:应该|其实)?(?:是|在)?|我是说|我的意思是|我想说的是"
    r"|更正[：:，,]?(?:是)?|应该是|其实是|不是[^，。,]{1,10}[，,]?(?:而)?是|不对[，,]?(?:应该)?是)"
    r"(?:在)?(?P<v>[^，。！？；,.!?;]{1,20})"
)
CHINESE = Grammar(
    language="zh",
    rules=_RULES,
    relations=RELATIONS,
    names={**_THINGS, **_PEOPLE, **_KINDS},
    trimmed=re.compile(r"^(?:吃|喝|看|听|玩|去|在|一辆|一个|一只|的|了|是)+|(?:了|的|吧|呢|啊)+$"),
    lasting=re.compile(r"一直|以来"),
    correction=re.compile(
        r"说错|口误|搞错|记错|弄错|打错|我是说|我的意思是|更正|应该是|其实是|不对[，,]"
    ),
    fragment=re.compile(_FRAGMENT),
    retraction=re.compile(
        r"不再|再也不|取消|不.{1,15}了|没去成|放弃|改变主意|算了|戒|泡汤"
        r"|停了|停掉|退订|退出|退掉|散了|解散|没成|结束了|关门了"
    ),
    negation=re.compile(r"[不没别未非]"),
    antonyms=[
        frozenset(pair.split())
        for pair in (
            "开 关",
            "喜欢 讨厌",
            "早 晚",
            "热 冷",
            "空 满",
            "活 死",
            "结婚 单身",
            "健康 生病",
        )
    ],
)
