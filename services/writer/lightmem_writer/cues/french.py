"""Cues of French."""

from lightmem.domain.language import words
from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, opening, whole_words

FRENCH = Cues(
    chatter=words(
        "salut bonjour bonsoir merci beaucoup oui non ouais ok d'accord super génial bravo "
        "félicitations ah oh ben bah euh alors bon bien cool à bientôt au revoir désolé "
        "désolée s'il te plaît vous plait parfait"
    ),
    fillers=words("euh ben bah hein"),
    first_person=whole_words(
        "je", r"j'\w+", "me", r"m'\w+", "moi", "mon", "ma", "mes", "nous", "notre", "nos", "on"
    ),
    second_person=whole_words(
        "tu", "te", "toi", "ton", "ta", "tes", "vous", "votre", "vos", r"t'\w+"
    ),
    reaction=opening(
        r"c'est",
        r"ça (?:a l'air|doit|semble)",
        r"quel(?:le)?s?",
        r"j'espère",
        r"tant mieux",
        r"je suis (?:content|contente|heureux|heureuse|fier|fière|désolée?) (?:pour|de)",
        r"(?:bonne chance|courage|merci|bravo|félicitations|dis-moi|raconte)",
    ),
    negation=whole_words("ne", r"n'\w+", "pas", "jamais", "rien", "personne", "sans"),
    kinds=(
        (
            MemoryKind.PLAN,
            whole_words(r"(?:vais|allons|va|vont) \w+er", "demain", "prochaine?", "compte"),
        ),
        (MemoryKind.PREFERENCE, whole_words("adore", "aime", "préfère", "déteste", r"préférée?s?")),
        (
            MemoryKind.EVENT,
            whole_words("hier", r"il y a", r"dernière?", r"(?:ai|suis|avons|sommes) \w+"),
        ),
    ),
)
