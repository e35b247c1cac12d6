"""Cues of English."""

from lightmem.domain.language import words
from lightmem.model import MemoryKind
from lightmem_writer.cues.model import Cues, opening, whole_words

ENGLISH = Cues(
    chatter=words(
        "hey hi hello hiya yo bye goodbye thanks thank thx please sorry wow whoa woah oh ah aw "
        "aww yeah yep yup yes no nope nah ok okay sure right cool nice great awesome amazing "
        "sweet fantastic wonderful lovely perfect good haha hahaha lol lmao omg congrats "
        "congratulations cheers well so um uh er hmm like just really totally absolutely "
        "definitely exactly indeed true morning evening night later soon you to see too much "
        "for it that's course of and but anyway guys there day a "
        "the day's lot very problem worries by way plus"
    ),
    fillers=words("um uh er erm hmm uhm mm"),
    first_person=whole_words(
        "i", "i'm", "me", "my", "mine", "myself", "we", "us", "our", "ours", "gonna"
    ),
    second_person=whole_words("you", "your", "yours", "yourself", "ya", "u"),
    reaction=opening(
        r"(?:i'm|i am|we're)(?: so| really| very| super| also)* "
        r"(?:glad|happy|proud|excited|sorry|thrilled|pleased|here) "
        r"(?:for you|of you|to hear|you|that you|about that)",
        r"(?:so |really |very )?(?:glad|happy|proud|sorry|excited) "
        r"(?:for|of|to (?:hear|see|know)|you|y'all|that|it)",
        r"i(?: totally| completely| really| can)? "
        r"(?:agree|see|understand|imagine|hear you|bet|get it|feel you|know)"
        r"(?! (?:a|an|the|my|some|someone|how to)\b)",
        r"i(?: really)? appreciate (?:it|that|your?|all)",
        r"i hope (?:you|it|that|everything)",
        r"(?:i'm|i am)(?: \w+){0,2} (?:glad|happy|lucky|thankful|grateful|blessed|impressed|sure"
        r"|proud|honou?red|touched)\b[^.!?]*\b(?:you|your|you've|you're|you'll)",
        r"i(?:'ll| will)? (?:believe in you|feel the same|couldn't agree|get how|feel for you)",
        r"(?:if|whenever|when) you (?:ever )?need\b[^.!?]*",
        r"i(?:'ll| will| might| may| should|'d| would| gotta| can't wait to|'m (?:gonna|going to))"
        r"(?: (?:definitely|totally|have to|love to|surely|need to|just|give|be sure to|highly))*"
        r" (?:check|try|trying|add|watch|look|keep|give|see|read|remember|recommend|do)"
        r"(?: making| out)? (?:it|them|that|those|this)",
        r"i(?: highly| really| would)* recommend (?:it|them|that)",
        r"(?:a lot|so much|lots|much)(?:'s| has| have)? (?:been )?(?:happened|changed|going on)",
        r"(?:hopefully|rest assured|appreciate (?:you|it|that|your?|all))",
        r"maybe (?:we|you|next time)|together,",
        r"i(?:'ll| will) keep (?:you|ya)|i(?:'m| am) off to",
        r"(?:i )?(?:gotta|got to|better) (?:go|run)",
        r"i wish you|glad (?:my|i|we|that)",
        r"(?:i )?(?:can't|cannot) wait to (?:hear|see)[^.!?]*\byou",
        r"i can (?:just |totally |really )?(?:picture|see|tell|feel)(?! (?:a|an|the|my|some)\b)",
        r"i(?:'d| would| highly)+ recommend",
        r"we(?:'ll| will) (?:have to|definitely|surely|keep)",
        r"you(?:'re| are) (?:doing|making|going|gonna)",
        r"i(?:'ll| will|'m gonna|'m going to)(?: \w+)? (?:stay|keep) "
        r"(?:motivated|strong|going|pushing|chasing|believing|trying|at it|it up)",
        r"i hope (?:your|he|she|they|we)",
        r"we should(?: all| definitely| totally)?",
        r"i can (?:\w+ )(?:it|that|them|you|some)[^.!?]* (?:for|to) you",
        r"you(?:'re| are) (?:always|really|such|so|the best|amazing)",
        r"your [\w' -]{2,30}? (?:looks?|seems?|sounds?|must|is|are)",
        r"i (?:saw|loved?|liked?) (?:your|(?:the|that) (?:photo|pic|picture))",
        r"(?:i'm|i am)(?: really| so| very)* (?:glad|happy|grateful) (?:i|we) (?:can|could|get)",
        r"there's something|since we (?:last )?(?:talked|spoke|chatted)[^,]*$",
        r"i can(?: just| only| totally| really)? imagine",
        r"(?:sure|yeah|ok|okay|alright)?,? ?see (?:ya|you)|go get",
        r"(?:i )?(?:can't|cannot) wait to (?:hear|see (?:it|you|them|what|how))",
        r"(?:i'd|i would) love to (?:see|hear)",
        r"i'll let you know",
        r"your (?:support|friendship|encouragement|kindness|kind words|words|advice) "
        r"(?:mean|help|is|are)s?",
        r"(?:hope|let me know|good luck|best of luck|take care|tell me|check|look at|take a"
        r"|let's|let me|don't|enjoy|have (?:a|fun)|go for it|see you|talk to you"
        r"|catch you|thanks|thank you|congrats|congratulations|way to go|no (?:problem|worries)"
        r"|of course|count me|here(?:'s| is| are)|wishing|keep (?:it|up|me|going|on|at|me))",
    ),
    remark=opening(
        r"(?:that|this|it)(?:'s|'ll| is| was| sounds?| looks?| must| seems?| would| will| really)",
        r"(?:sounds?|looks?)",
        r"what an?",
        r"how (?:cool|great|nice|awesome|exciting|sweet|wonderful|lovely|amazing|sad)",
        r"(?:you|your|you're|you've|you'll|keep|remember|stay)",
        r"[\w' -]{2,40}?(?: is| are| was| were|'s)(?: so| really| super| very| pretty| such| just)*"
        r" (?:great|awesome|amazing|important|key|cool|fun|nice|beautiful|wonderful|the best|tough"
        r"|hard|lovely|everything|a blast|rewarding|priceless|inspiring|worth it)[.!…]*$",
    ),
    maxim=whole_words(
        r"we all",
        r"we (?:can(?! (?:see|hear|walk|drive|cycle|park|afford)\b)|should|could|must|need to"
        r"|have to|gotta|never know)",
        r"(?:lift(?:s|ing)?|humbl(?:es|ing)|remind(?:s|ing)?|teach(?:es|ing)?|bring(?:s|ing)?"
        r"|help(?:s|ing)?|mak(?:es?|ing)|giv(?:es?|ing)|show(?:s|ing)?|let(?:s|ting)?"
        r"|transport(?:s|ing)?|keep(?:s|ing)?|connect(?:s|ing)?) (?:us|our|people|you|them)",
        r"part of life|in life|who we are|make a difference",
        r"our (?:minds?|spirits?|lives|world|place|souls?|hearts?|imaginations?)",
        r"(?:is|are) (?:\w+ )?(?:the best|key|important|everything|priceless)",
        r"what (?:counts|matters)",
    ),
    clause=whole_words(
        r"(?:i|we|he|she|they|it|you|this|that|these|those|there|who|what|everyone|everybody"
        r"|someone|nobody) \w+",
        r"\w+['’](?:m|re|s|ve|ll|d)|\w+n['’]t",
        r"(?:is|are|am|was|were|has|have|had|does|did|can|could|will|would|should|may|might|must)",
        r"(?:went|got|made|took|came|saw|met|bought|thought|gave|found|left|lost|ran|held|kept|knew"
        r"|grew|wrote|drove|told|sold|said|built|felt|began|won|became|fell|ate|loved|went"
        r"|just \w+ed|been \w+ing|started|finished|joined|moved|visited|tried|decided|gotta)",
        r"(?!(?:kids|friends|things|times|days|ways|years|weeks|months)\b)[a-z]+s "
        r"(?:me|us|him|her|them|my|our|his|the|a|an|to|that|how|on|in|at|with|for|well|from)",
        r"(?:my|our|your|his|her|their|the|a|an) [\w' ]{2,30} \w+s",
        r"(?:still|been|just|currently|already|now|also|busy|trying|working) \w+ing",
        r"turns out (?:i|we|my|our)|been (?:an? )?\w+ (?:since|for)|no more \w+ for (?:me|us)"
        r"|meet (?:\w+,? )?(?:my|our)",
    ),
    elliptic=opening(
        r"(?:just |really |also |always |still )?(?:makes|helps|reminds|gives|keeps|brings|means"
        r"|feels|looks|sounds|seems|takes|turns(?! out (?:i|we|my|our)\b)|shows|lets|gets"
        r"|makes|puts|goes)",
        r"(?:then|not|same|from|with|like|as well|especially|including|such as|which|because)",
    ),
    negation=whole_words(
        "not", "no", "never", "n't", r"\w+n't", "cannot", "nobody", "nothing", "without"
    ),
    third_person=whole_words(
        "he",
        "she",
        "they",
        "him",
        "her",
        "them",
        "his",
        "their",
        "hers",
        "husband",
        "wife",
        "partner",
        "girlfriend",
        "boyfriend",
        "sisters?",
        "brothers?",
        "siblings?",
        "mother",
        "father",
        "mom",
        "mum",
        "dad",
        "parents?",
        "sons?",
        "daughters?",
        "kids?",
        "children",
        "family",
        "cousins?",
        "aunt",
        "uncle",
        "grand(?:ma|pa|mother|father|parents?)",
        "niece",
        "nephew",
        "friends?",
        "boss",
        "colleagues?",
        "dogs?",
        "cats?",
        "pets?",
        "pup(?:py|pies)?",
        "kittens?",
        "bab(?:y|ies)",
        "doctors?",
        "teachers?",
        "coach",
        "team",
        "teammates?",
        "roommates?",
        "neighbou?rs?",
    ),
    kinds=(
        (
            MemoryKind.PLAN,
            whole_words(
                r"(?:i'm|we're|i am|we are|he's|she's|they're|is|are) (?:going to|gonna|planning)",
                r"gonna",
                r"(?:i|we|he|she|they)(?:'ll| will)",
                r"plans? (?:to|on|for)",
                r"(?:hoping|want|wants|hope|aim|intend|decided|thinking) (?:to|of|about)",
                r"next (?:week|month|year|summer|weekend|spring|fall|autumn|winter|\w+day)",
                r"tomorrow",
            ),
        ),
        (
            MemoryKind.RELATION,
            whole_words(
                r"(?:my|our|his|her) (?:\w+ )?(?:wife|husband|partner|girlfriend|boyfriend|fiancée?"
                r"|sister|brother|mother|father|mom|mum|dad|son|daughter|cousin|aunt|uncle"
                r"|grandma|grandpa|grandmother|grandfather|niece|nephew|boss|colleague|friend"
                r"|dog|cat|pup)s?(?:,? \w+)?(?:'s name)? (?:is|are|was|named|called)",
                r"(?:i|we|he|she|they) (?:have|has|got|'ve got) (?:a|an|one|two|three|four|\d+) "
                r"(?:\w+ )?(?:kids?|children|sons?|daughters?|sisters?|brothers?|dogs?|cats?)",
                r"(?:been |got |am |are |is )?(?:married|engaged)",
                r"(?:named|called) [A-Z]\w+",
            ),
        ),
        (
            MemoryKind.EVENT,
            whole_words(
                r"yesterday",
                r"last (?:night|week|month|year|summer|weekend|spring|fall|autumn|winter|\w+day)",
                r"(?:days?|weeks?|months?|years?) ago",
                r"the other day",
            ),
        ),
        (
            MemoryKind.PREFERENCE,
            whole_words(
                r"(?:i|we|he|she|they)(?:'ve| have| has)?(?: \w+)? "
                r"(?:loves?|loved|enjoys?|enjoyed|prefers?|hates?|adores?|dislikes?|likes?)",
                r"fan of",
                r"favou?rites?",
                r"into \w+ing",
                r"passionate about",
            ),
        ),
        (
            MemoryKind.EVENT,
            whole_words(
                # What somebody has got is not what happened: "I've got a red van".
                r"(?:got(?! an?\b)|(?<!['’]ve )(?<!have )(?<!has )got)",
                r"(?:went|had|did|met|saw|took|made|bought|started|finished|won|joined|visited"
                r"|moved|left|came|gave|found|lost|ran|held|attended|signed|adopted|celebrated"
                r"|graduated|passed|tried|painted|planted|hosted|organi[sz]ed|launched|opened)",
                r"just \w+ed",
            ),
        ),
    ),
)
