"""The general words of Spanish and Chinese that a claim may be made of: closed lists.

There is no WordNet in the package for these, so the lists are written by hand: animals and plants,
food and drink, weather, things at home, pastimes, and how such things are. No word for people, no
illness, no faith, no name, and none that is also a name of somebody.
"""

from lightmem.domain.language import words

SPANISH_THINGS = words(
    "perro gato caballo conejo pájaro pez tortuga hámster loro vaca oveja cabra gallina abeja "
    "mariposa hormiga araña serpiente lobo oso zorro ardilla búho pato delfín ballena animal "
    "mascota insecto cachorro gatito planta árbol bosque jardín hierba fruta verdura manzana "
    "pera naranja limón plátano fresa uva sandía melón tomate patata cebolla ajo zanahoria "
    "lechuga pepino pimiento arroz pasta pan queso leche mantequilla yogur huevo carne pollo "
    "pescado sopa ensalada tortilla paella pizza chocolate galleta pastel helado azúcar sal "
    "miel aceite café té agua zumo jugo desayuno almuerzo cena bebida comida postre lluvia "
    "nieve viento tormenta trueno relámpago calor frío niebla verano invierno otoño primavera "
    "mar playa montaña río lago isla desierto campo cielo luna estrella noche silencio ruido "
    "música canción baile guitarra piano violín tambor flauta instrumento cine película libro "
    "novela poesía cuento pintura dibujo cerámica fotografía ajedrez juego fútbol baloncesto "
    "tenis natación ciclismo senderismo yoga meditación ejercicio deporte paseo jardinería "
    "cocina lectura viaje tren avión barco bicicleta coche autobús metro tráfico ordenador "
    "teléfono pantalla ventana puerta silla mesa cama sofá lámpara vela manta almohada reloj "
    "zapato sombrero fuego petardo sueño calma energía estrés paz alegría sed hambre afición "
    "pasatiempo color"
)
SPANISH_QUALITIES = words(
    "tranquilo ruidoso rápido lento caliente frío dulce amargo salado picante sano rico sabroso "
    "barato caro fácil difícil divertido aburrido relajante interesante peligroso seguro limpio "
    "sucio suave duro ligero pesado alto bajo largo corto grande pequeño oscuro claro brillante "
    "húmedo seco fresco fiel cariñoso leal juguetón curioso independiente inteligente listo "
    "tímido salvaje útil necesario refrescante delicioso agradable natural cómodo nutritivo"
)
SPANISH_DOINGS = words(
    "dormir descansar relajarse concentrarse respirar pensar aprender sonreír reír soñar crecer"
)
CHINESE_THINGS = words(
    "狗 猫 马 兔子 鸟 鱼 乌龟 仓鼠 鹦鹉 牛 羊 鸡 鸭子 蜜蜂 蝴蝶 蚂蚁 蜘蛛 蛇 狼 熊 狐狸 松鼠 "
    "猫头鹰 海豚 鲸鱼 动物 宠物 昆虫 小狗 小猫 植物 树 森林 花园 草 水果 蔬菜 苹果 梨 橙子 柠檬 "
    "香蕉 草莓 葡萄 西瓜 西红柿 土豆 洋葱 大蒜 胡萝卜 黄瓜 米饭 面条 饺子 包子 馒头 面包 奶酪 "
    "牛奶 黄油 酸奶 鸡蛋 肉 鸡肉 牛肉 汤 沙拉 豆腐 火锅 巧克力 饼干 蛋糕 冰淇淋 糖 盐 蜂蜜 油 "
    "咖啡 茶 绿茶 红茶 水 果汁 早餐 午餐 晚餐 饮料 食物 甜点 雨 雪 风 暴风雨 打雷 雷声 闪电 雾 "
    "夏天 冬天 秋天 春天 大海 海滩 山 河 湖 岛 沙漠 天空 月亮 星星 夜晚 噪音 音乐 歌 舞蹈 吉他 "
    "钢琴 小提琴 鼓 笛子 乐器 电影 书 小说 诗歌 故事 绘画 陶艺 摄影 象棋 围棋 游戏 足球 篮球 "
    "网球 游泳 骑车 爬山 徒步 瑜伽 冥想 运动 散步 跑步 园艺 做饭 阅读 旅行 火车 飞机 船 自行车 "
    "汽车 公交车 地铁 堵车 电脑 手机 屏幕 窗户 椅子 桌子 床 沙发 灯 蜡烛 毯子 枕头 鞭炮 烟花 "
    "睡眠 压力 快乐 爱好 颜色"
)
CHINESE_QUALITIES = words(
    "安静 吵 吵闹 快 慢 热 冷 甜 苦 咸 辣 酸 健康 好吃 好喝 便宜 贵 容易 难 有趣 无聊 放松 "
    "有意思 危险 安全 干净 脏 软 硬 轻 重 高 低 长 短 大 小 暗 亮 潮湿 干燥 凉快 新鲜 忠诚 温顺 "
    "活泼 好奇 独立 聪明 害羞 野 有用 方便 清爽 舒服 自然 有营养 可爱"
)
CHINESE_DOINGS = words("睡觉 睡得好 休息 放松 集中注意力 冷静 思考 学习 微笑 做梦 成长 入睡")
