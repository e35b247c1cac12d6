"""Spanish: what there is of a kind, and other words for what is done; see `english.py`."""

NARROWER = """
actividad actividades afición aficiones hobby pasatiempo pasatiempos: senderismo acampar nadar
    pintar correr leer bailar cocinar jardín pescar bici yoga tejer cerámica escalar esquiar
    fotografía
deporte deportes: fútbol baloncesto tenis natación correr voleibol surf esquí gimnasio equipo
    partido
ejercicio ejercicios entrena entrenamiento: gimnasio correr yoga pesas nadar bici boxeo
instrumento instrumentos: guitarra piano violín batería flauta clarinete trompeta saxofón
música musical grupo grupos cantante cantantes: canción concierto banda disco cantar festival
mascota mascotas animal animales: perro perra gato gata cachorro conejo loro tortuga pez caballo
comida comidas plato platos cena almuerzo come comió: cocinar pizza pasta sopa ensalada pollo
    arroz pan receta paella
postre postres dulce dulces: tarta pastel galletas chocolate helado flan
bebida bebidas bebe: café té vino cerveza zumo jugo
fruta frutas verdura verduras: manzana plátano tomate fresa zanahoria
libro libros autor autora autores novela novelas: leer novela historia capítulo
película películas serie series: ver cine temporada capítulo
juego juegos videojuego videojuegos: jugar consola cartas ajedrez
país países extranjero: españa francia italia alemania inglaterra japón méxico argentina
ciudad ciudades pueblo: madrid barcelona parís londres roma lisboa
lugar lugares sitio sitios: playa montaña parque museo ciudad restaurante viaje
viaje viajes viajó vacaciones: viaje vuelo playa hotel avión
familia familiar familiares: hijos madre padre mamá papá marido mujer hijo hija hermana hermano
    padres
hijo hijos hija hijas niño niños: hijo hija niño niña bebé
padres: madre padre mamá papá
hermanos: hermano hermana
pareja relación casado casada: marido mujer novio novia soltero boda divorcio
amigo amigos amiga amigas amistad: amigo amiga conocí
trabajo trabajos profesión empleo puesto carrera: oficina jefe jefa empresa ascenso entrevista
negocio negocios: tienda clientes empresa abrir
estudios estudia estudió carrera universidad: clase curso examen máster título
idioma idiomas: inglés francés alemán italiano chino
dinero: facturas ahorros sueldo presupuesto deuda
salud enfermedad enfermo enferma médico: hospital dolor operación alergia médico medicina
lesión lesiones: rompió tobillo rodilla accidente
estrés relajarse relaja: calma terapia yoga paseo baño meditación
siente sentimientos emociones: feliz triste orgulloso nervioso contento preocupado miedo
voluntario voluntariado causa causas: refugio donar comunidad ayudar
evento eventos: festival desfile concierto feria fiesta taller congreso concurso
regalo regalos: cumpleaños regaló collar flores
coche coches vehículo vehículos: moto bici furgoneta conducir taller
ropa: vestido camisa zapatos chaqueta jersey
arte obras: pintura dibujo cuadro lienzo escultura foto
planta plantas flores jardín: rosas tulipanes semillas albahaca
problema problemas dificultad dificultades reto retos: difícil duro perdí roto
meta metas objetivo objetivos sueño sueños: quiero espero plan sueño
premio premios: ganó trofeo primer medalla
clase clases curso cursos: taller aprender profesor
nombre nombres llama llaman: llama
color colores: rojo azul verde amarillo negro blanco rosa
"""

SYNONYMS = """
compró comprar compra compraron: compré comprado pillé
visitó visitar fue fueron viajó: fui fuimos viaje estuve
vive viven vivir: vivo piso casa mudé
mudó mudarse mudaron: mudé mudamos piso
trabaja trabajar trabajó: trabajo oficina empleo
empezó comenzó empezar: empecé comencé nuevo
dejó dejar: dejé abandoné
conoció conocer: conocí presentaron
casó casarse: boda marido mujer
gusta gustan encanta prefiere favorito favorita: encanta gusta favorito
hizo hacer preparó: hice hicimos
ganó ganar: gané premio primer
aprendió aprender aprende: aprendí aprendiendo clase
perdió perder: perdí perdido
regaló dio: regalo dio
adoptó adoptar: adopté refugio
decidió decidir: decidí voy
planea piensa: voy quiero próximo
recomendó recomienda: recomiendo prueba deberías
"""
