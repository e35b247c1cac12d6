"""English: what there is of a kind, and other words for what is done. General words of daily life.

A line is `words of a question: words of its answer`. Words are found by their stem, so one form of
each is enough on the right; on the left stands each form that a question has. An indented line goes
on with the one before.
"""

NARROWER = """
activity activities hobby hobbies pastime pastimes interest interests: hiking camping swimming
    painting running reading dancing cooking gardening fishing biking yoga gaming knitting
    pottery climbing skiing photography
sport sports: soccer football basketball tennis baseball swimming running volleyball hockey golf
    surfing skiing gym team match
exercise exercises workout workouts fitness shape: gym running yoga weights training jogging
    swimming cycling boxing pilates cardio
martial: karate judo taekwondo kickboxing boxing jiu
outdoor outdoors nature: hiking camping trail mountain lake beach park forest fishing kayak
    garden
instrument instruments: guitar piano violin drums flute cello clarinet trumpet saxophone ukulele
    bass harmonica
music musical musician musicians band bands singer singers: song concert band album sing
    playlist gig festival
pet pets animal animals: dog cat puppy kitten rabbit hamster parrot turtle fish horse bird
dog dogs: puppy pup leash walk
cat cats: kitten
food foods meal meals dish dishes cuisine eat eats ate snack snacks: cook pizza pasta soup salad
    chicken rice bread recipe dinner lunch breakfast
dessert desserts sweets baked bake: cake pie cookie chocolate cream brownie pudding muffin
drink drinks drank beverage beverages: coffee tea wine beer juice smoothie water
fruit fruits vegetable vegetables crop crops: apple banana tomato carrot strawberry pepper
    potato
diet: vegetarian vegan gluten sugar meat
book books author authors novel novels: read novel story author chapter series
movie movies film films show shows: watch cinema movie season episode
game games videogame videogames: play console board card chess puzzle
country countries abroad: spain france italy germany england japan mexico canada india china
    brazil thailand
european europe: spain france italy germany england greece portugal ireland
state states: california texas florida oregon washington colorado york
city cities town towns: paris london rome york barcelona tokyo chicago boston
place places location locations destination destinations: beach mountain park museum city
    restaurant cafe country trip
area areas region: coast beach mountain city neighborhood
travel travels traveled travelled trip trips vacation vacations vacationed holiday holidays:
    trip flight visit beach hotel abroad road
family families relative relatives: kids children mom dad mother father husband wife son
    daughter sister brother parents
child children kid kids: son daughter boy girl brother baby toddler
parent parents: mom dad mother father
sibling siblings: brother sister
grandparent grandparents: grandma grandpa grandmother grandfather
partner spouse relationship married marital: husband wife boyfriend girlfriend single married
    wedding dating divorced breakup
friend friends friendship: buddy friend met hang
job jobs career careers profession occupation position: office boss company hired promotion
    manager interview internship work
business businesses startup: shop store customers clients launch company
education study studies degree school university college field fields major: class course exam
    graduate student degree campus
subject subjects: math history biology art science
skill skills: learn practice class course
language languages: spanish french german italian chinese japanese english
money financial finances afford income: bills savings salary budget debt loan
health medical condition conditions illness sick disease: doctor hospital pain surgery allergy
    diagnosed medication
allergy allergies allergic: peanuts nuts pollen dairy cats reaction
injury injuries injured hurt: broke ankle knee wrist accident hospital sprained
stress destress stressed relax relaxation unwind: calm therapy yoga walk bath meditation peace
feel feeling feelings emotion emotions mood: happy sad proud nervous excited worried scared
    anxious grateful
volunteer volunteers volunteered volunteering charity charities cause causes: shelter charity
    donate fundraiser community help
event events occasion: festival parade concert fair party workshop conference competition
    meeting wedding
celebrate celebrated celebration: birthday party anniversary wedding graduation cake
gift gifts present presents: gave birthday necklace flowers
hometown homeland: moved grew born country
home house housing apartment live lives: rent apartment moved landlord neighborhood roommate
furniture: couch sofa table chair desk lamp bed
vehicle vehicles car cars: truck bike motorcycle drive garage
clothes clothing outfit wear: dress shirt shoes jacket hoodie sweater
jewelry accessory accessories: necklace ring bracelet earrings watch
device devices gadget gadgets technology: phone laptop computer tablet camera
item items object objects: bought got
art arts artwork artworks craft crafts: painting drawing sketch canvas sculpture photo pottery
painted paints paintings: canvas drawing sunset landscape portrait
collect collects collected collection: coins stamps records cards figurines
plant plants flower flowers garden: roses tulips seeds herbs basil
weather: rain snow storm sunny hot cold
problem problems challenge challenges difficulty difficulties obstacle obstacles setback
    setbacks struggle struggles: hard tough lost failed broke stuck difficult
fear fears afraid phobia: scared heights spiders dark
goal goals ambition ambitions aspiration aspirations: want hope plan dream someday
religion religious faith spiritual: church god pray temple mosque
political politics: election vote campaign rights
personality trait traits attribute attributes describe: kind caring brave honest hardworking
    thoughtful
name names named nickname: called
change changes changed: different now longer new
promote promotes promoted advertise marketing: ad campaign social media online offers
award awards prize prizes achievement achievements: won trophy first medal certificate
class classes course courses lesson lessons: workshop learn teacher signed
symbol symbols tattoo tattoos: flag necklace ring sign ink
age old: birthday turned years
color colors colour colours: red blue green yellow purple black white pink
season seasons: spring summer fall autumn winter
routine habit habits: morning every daily usually night
"""

SYNONYMS = """
buy buys bought purchase purchased: got bought ordered picked
get gets got receive received: gave got bought
visit visits visited: went trip been visit
go goes went gone attend attends attended participate participates participated: went joined
    been
move moves moved relocate relocated: moved new apartment
live lives lived reside resides: live apartment house moved
work works worked: job office work
start starts started begin began: started began launched new
quit quits leave left stop stopped: left quit gave
meet meets met: met introduced
marry marries married: wedding wife husband
like likes love loves enjoy enjoys prefer prefers favorite favourite: love enjoy favorite fan
dislike dislikes hate hates: hate stand
make makes made create creates created build built: made built created finished
give gives gave: gave gift
lose loses lost: lost gone missing
die dies died passed: passed lost funeral died
plan plans planning planned: going want next soon thinking
decide decides decided choose chose: decided going chose
learn learns learned learnt: learning class taught
win wins won: won first prize trophy
help helps helped support supports supported: helped support encouraged
fix fixes fixed repair repaired: fixed broke repair
suggest suggests suggested recommend recommends recommended: recommend try should suggest
inspire inspires inspired inspiration motivate motivates motivated: inspired because motivated
adopt adopts adopted: adopted shelter rescue
find finds found discover discovered: found came across
research researched researching: looking into researching reading
"""
