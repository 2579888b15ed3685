"""The words of English and German that tell of tool work."""

from __future__ import annotations

from typing import Final

from harness.verdicts.narrated_language import Language, common, compiled, stems

_EN_ADVERB: Final = (
    r'(?:(?:just|now|also|already|then|first|since|quickly|briefly|successfully|simply|even|gone ahead and|'
    r'went ahead and|tried to and|been able to|was able to|managed to)\s){0,3}'
)
_EN_I: Final = rf"\b(?:I|we)(?:\s?['’]ve|\s?['’]d|\shave|\shad)?\s{_EN_ADVERB}"
_EN_TOOL: Final = (
    r'(?:(?:search|calculator|query|lookup|database|weather|retrieval|\w{1,20})[ -])?(?:tool(?: call)?|api|service)|'
    r'web search|search(?: engine)?|query|database|calculator|look-?up|index|knowledge base|@'
)
_EN_DOES: Final = (
    r"(?:(?:has|have|had|then|also|just|only|still|successfully|did|do|does|(?:did|do|does)n['’]t|not|directly)\s){0,3}"
)
_EN_GAVE: Final = (
    rf'{_EN_DOES}(?:returned|gave|showed|shown|responded|reported|produced|yielded|came back|confirmed|revealed|'
    r'turned up|turn up|returns? (?:no|nothing)|said|indicated|listed|found|find|return|provided(?! by)|retrieved|'
    r'fetched|outputted|displayed)\b'
)
_EN_GIVES: Final = rf'{_EN_DOES}(?:shows?|says|indicates?|reports|confirms?|lists|reveals?)\b'
_EN_HOLDS: Final = rf'{_EN_DOES}(?:seem to )?(?:contain|mention|include|provide)s?\b'
_EN_AND_SO: Final = r"(?=[^\n]{0,120}(?:,|\bI\b))(?![^\n]{0,120}\byou(?:['’]ll| will| can| should| get| see| may)\b)"

ENGLISH: Final = Language(
    code='en',
    common=common("the i and of to is was that for with it have has you this my your from are not on an be i've we"),
    stems=stems(
        'invent|system|stock|timetable|warehouse|invoice|contact|cancel|consult|steps|schedul|search|googl|quer|'
        'look|tool|databas|api|calculat|index|knowledge|servic|web|internet|online|'
        'director|function|handbook|wikipedia|mail|messag|ticket|reserv|book|appoint|calend|order|record|'
        'file|event|meeting|notif|inform|entr|issue|team|remind|page|retriev|fetch'
    ),
    claims=compiled(
        _EN_I + r'(?:searched(?! (?:through |in )?(?:my|your|everywhere|in vain))|googled|queried|'
        r'looked (?:(?:it|this|that|them|him|her|the \w{1,20}) )?up\b(?! (?:to|at)\b))',
        r"\b(?:I|we) (?:was|were|have been|['’]ve been) able to (?:retrieve|look up|query|search|fetch|access)",
        _EN_I + r'(?:retrieved|fetched|consulted|contacted|notified|e-?mailed|booked|reserved|cancell?ed|rescheduled)\b'
        r'(?! (?:my|your|you|his|her)\b)',
        _EN_I + r'(?:took|followed|performed|did|completed) (?:the following|these|several|the necessary) steps\b',
        r'\b(?:having|after|by) (?:search|query|consult|googl)(?:ed|ing|ied) (?:for |through |in )?'
        r'(?:the |my |our |a |several |online|@|\w{1,20} )' + _EN_AND_SO,
        r'\b(?:having|after|by) look(?:ed|ing) (?:it |this |that |them )?up\b' + _EN_AND_SO,
        r'\bmy (?:own )?(?:web |online |internet |database |quick )?(?:search|query|lookup)(?:es|s)? ' + _EN_GAVE,
        r'\bthe (?:web |database )?(?:look-?up|search|query|tool call|call) (?:was|has been) '
        r'(?:successful|completed|run)',
        r'\bthe (?:look-?up|search|query|tool call) succeeded',
    ),
    acts=compiled(
        _EN_I + r'(?:used(?! to\b)|utili[sz]ed|called|invoked|ran|run|executed|consulted|accessed|checked|fetched|'
        r'retrieved|performed|conducted|asked|reviewed|tried|passed|looked|gathered|downloaded|visited|browsed)\b',
        # These say little without the way in which it was done.
        _EN_I + r'(?:obtained|verified|confirmed|found|got|located|received|pulled|determined|learned|discovered|'
        r'checked|counted|took|established|identified|figured|worked|extracted|read|learnt|came|arrived)\b'
        r'(?=[^\n]{0,90}\b(?:in|on|from|through|via|using|with|by|online|against)\b)',
        _EN_I + r'(?:did|done|made)(?= (?:an? |some |several |the )?(?:\w{1,12} )?'
        r'(?:search|query|queries|look-?up|call|request|api|research)\b(?! (?:box|tool|page|field|engine|form)))',
        _EN_I + r'\w{2,14}(?:ed|nd|t)\b(?=[^\n]{0,60}\b(?:by|after) '
        r'(?:querying|searching|checking|visiting|using|consulting|running|calling|looking|accessing|browsing)\b)',
        r'\b(?:I|we) (?:was|were) able to (?:obtain|find|get|locate|see|gather|extract|determine|confirm)\b',
        r'\b(?:having|after|by|upon) (?:us|call|runn|consult|check|invok|execut|perform|access|query)(?:ed|ing)\b'
        + _EN_AND_SO,
        r'\b(?:using|with) (?=_(?:I|we) (?:got|found|determined|obtained|retrieved|learned|calculated|was able|see\b))',
        r'\bmy (?:calculation|check|research|lookup)s? (?=_(?:show|gave|confirm|return|reveal))',
    ),
    noun=compiled(
        r'\b(?:inventory|(?:our|the) (?:system|records|stock|timetable|schedule|warehouse)|official (?:site|'
        r'website)|tools?|search(?: engine| results?| function)?|quer(?:y|ies)|databases?|apis?|web|internet|online|'
        r'look-?ups?|calculator|knowledge base|(?:staff |phone |company )directory|google|wikipedia|index|vector store|'
        r'handbook|(?:weather |web )service|web ?page|the page|website)\b(?! (?:that |which )?you\b)',
        '@',
    ),
    results=compiled(
        rf'\b(?:the|this|my|our)\s(?:[\w-]{{1,20}}\s){{0,3}}?(?:{_EN_TOOL})(?: results?| response|'
        rf' output)?\s{_EN_GAVE}',
        r'\b(?:the|this|my|our)\s(?:[\w-]{1,20}\s){0,3}?'
        r'(?:tool(?: call)?|search(?: engine| tool)?|database|index|look-?up)(?: results?| response| output)?\s'
        + _EN_GIVES,
        rf'@\s(?:{_EN_GAVE}|{_EN_GIVES})',
        rf'\bsearch results?\s(?:{_EN_GAVE}|{_EN_GIVES}|{_EN_HOLDS})',
        r"\bsearch results?\s(?:is|are|were|was)(?: not|n['’]t)?(?: directly)? "
        r'(?:providing|helpful|relevant|clear|inconclusive|empty)\b',
        r'\b(?:the|this|my) (?:\w{1,20} )?(?:tool|search|query|api call|tool call) (?:has |still )?'
        r"(?:failed|crashed|timed out|(?:did|does)(?: not|n['’]t) work)\b",
        r'\bthe (?:search |result )?snippets?\s(?:still )?'
        r"(?:shows?|says|mentions?|provides?|(?:does|do|did)(?: not|n['’]t))\b",
        r'\bthe (?:web )?(?:search|tool)\s(?:did|does|do)\s?(?:not|n.t)\s(?:provide|contain|mention|include)\b',
        r'\b(?:according to|as per|based on|judging by) (?:the|my|these|this|our) (?:[\w-]{1,20} ){0,2}?'
        r'(?:search results?|query results?|results? (?:of|from) the (?:search|query|tool|lookup|database)|'
        r"(?:tool|api|search|query|database)(?:['’]s)? (?:response|output|results?)|look-?up|observation from|"
        r'(?:information|data|results?|documents?|records?) (?:I |that I )?(?:have |has |had |was |were )?(?:been )?'
        r'(?:retrieved|fetched|obtained|returned|found|gathered|received|'
        r'from the (?:tool|search|database|web|[\w ]{0,15}api)))',
        r'\baccording to the (?:tool|search|database|api|web search)\b(?! (?:desc|doc))',
        r"\bfrom the (?:tool|api|search|query|database)(?:['’]s)? (?:response|output|results?),? (?:I|we|it)\b",
        r"\b(?:the|this) (?:tool|api|search|query)['’]s (?:response|output|results?|answer) "
        r'(?:is|was|were|are|shows?|says?|said|indicates?)\b',
        r"\b(?:I|we) (?:(?:was|were|am|are|have been) (?:unable|not able) to|could(?:n['’]t| not)) "
        r'(?:find|locate|get|extract)\b[^\n]{0,120}?\b(?:(?:through|using|with|via|by) the search|'
        r'(?:in|from) the (?:\w{1,12} ){0,2}?(?:search|database|index)|online|on the web)',
        r'\ba (?:(?:quick|brief|short|simple|web|database|online|internet|new) ){1,3}(?:search|query|look-?up|check)\b_'
        r'\b(?:shows?|showed|reveal(?:s|ed)|returned|confirm(?:s|ed)|found|turned up|brought up|gave|tells|told)\b',
        r'\b(?:was|were|has been|have been) \w{2,14}(?:ed|nd|t|en|ne) (?:\w{1,12} )?(?:by|from|through|using|via|with) '
        r'(?:(?:querying|searching|running|calling) )?(?:(?:the|a|an|our) (?:[\w-]{1,12} ){0,2}?(?:tool|search|'
        r'database|api|query)\b|@)',
    ),
    deeds=compiled(
        _EN_I + r'(?:sent|e?-?mailed|booked|reserved|scheduled|created|updated|deleted|removed|saved|submitted|placed|'
        r'cancell?ed|ordered|notified|informed|posted|added|closed|opened|registered|filed|forwarded|moved|set|'
        r'downloaded|cleaned|uploaded|generated|processed|stored|delivered|shared|transferred|contacted)\b',
    ),
    object=compiled(
        r'\b(?:invoices?|e-?mails?|mails?|messages?|tickets?|table for|your table|reservations?|bookings?|'
        r'appointments?|calendar|'
        r'meetings?|events?|records?|order|files?|issue|reminder|team|supplier|customer|database|invitations?|status|'
        r'flight|room|report to|report by)\b',
    ),
    done=compiled(
        r'\b(?:your|the|an?|all|both|three|two) (?:[\w-]{1,20} ){0,2}?(?:e-?mails?|mails?|messages?|tickets?|tables?|'
        r'reservations?|bookings?|appointments?|meetings?|invoices?|records?|orders?|files?|reminders?|invitations?|'
        r'flights?|'
        r'rooms?|reports?)\b[^,.;\n]{0,50}? (?:(?:has|have) (?:now |already |just )?been|was|were|(?:is|are) now) '
        r'(?:now |successfully |just |already )?'
        r'(?:sent|booked|reserved|scheduled|created|updated|deleted|saved|submitted|placed|cancell?ed|made|added|'
        r'confirmed|closed|delivered)\b(?!_\bby (?!e?-?mail))(?!_\b1\d\d\d\b)(?!_\bin 20\d\d)',
        r'\border (?:no\.? |number |#)?[\w-]{1,12} (?:has been|was) (?:now |successfully )?(?:cancell?ed|placed|'
        r'updated|closed)\b',
        r'(?:^|\W)(?:e-?mail|mail|message|ticket|reservation|booking|order|appointment) (?:successfully )?'
        r'(?:sent|created|booked|confirmed|placed|made)(?=\W{0,3}$)',
    ),
    elsewhere=compiled(
        # To check if something is so is no condition.
        r'(?<!check )(?<!see )(?<!out )(?<!verify )(?<!determine )(?<!know )(?<!confirm )\b(?:if|whether)\b',
        r'\b(?:unless|once|until|as soon as|when(?! I\b)|whenever|before|suppose|assuming|imagine)\b',
        r'\b(?:you|she|he|they|user|colleague|who)\b_\b(?:said|told|wrote|report(?:ed)?|mention(?:ed)?|claim(?:ed)?|'
        r'say|want|ask)',
        r'\b(?:would be|for example|e\.g\.|an example|such as|sentence|sometimes|usually|the text)\b',
        r"\b(?:will|shall|would|should|could|can|may|might|must|going to|need to|want to|let me|let['’]s|so you|how)\b"
        r'(?![^\n]{0,60}(?:\bI\b|[,;:] |\. ))',
    ),
    denial=compiled(
        r'\b(?:not|never|no|none|nothing|neither|nor|without|cannot|unable)\b',
        r"n['’]t\b",
    ),
    yours=compiled(r'\b(?:your|you|his|her|their|a user)\b'),
)

_DE_DONE: Final = (
    r'(?:ge\w{2,14}(?:t|en)|\w{2,10}ge\w{2,12}(?:t|en)|(?:be|er|ver|ent|durch|über)\w{2,14}(?:t|en)|\w{2,14}iert)\b'
)

GERMAN: Final = Language(
    code='de',
    common=common(
        'der die das und ich ist nicht ein eine einer mit für von zu dem den sie es hat habe im wurde auf dass laut'
    ),
    stems=stems(
        'lager|system|bestand|fahrplan|inventar|rechnung|kontakt|storn|gebucht|schritt|ermittelt|verschickt|such|'
        'datenbank|werkzeug|tool|internet|online|abfrag|web|api|handbuch|nachge|mail|termin|bestell|reservier|'
        'ticket|'
        'nachricht|buchung|gegoogelt|rechner|bericht|recherch'
    ),
    claims=compiled(
        r'\b(?:ich habe?|habe? ich|wir haben|haben wir)_\b(?:gegoogelt|recherchiert|abgefragt|abgerufen|nachgeschlagen|'
        r'nachgesehen|nachgeschaut|kontaktiert|benachrichtigt|reserviert|gebucht|storniert|verschickt|versendet)\b',
        r'\b(?:ich habe?|wir haben) (?!(?:ihr|dein|eur)\w{0,2}\b)_\b(?:gesucht|ermittelt)\b',
        r'\bich habe?_\b(?:folgende|diese) schritte\b',
        r'\bmeine (?:web|online-?|internet)?(?:suche|recherche|abfrage|suchanfrage) (?:hat_)?'
        r'(?:ergab|ergeben|lieferte|zeigte|geliefert|fand)',
        r'\beine (?:\w{1,12} )?(?:web|internet|online-?|datenbank)?(?:suche|recherche|abfrage)_'
        r'\b(?:ergab|ergibt|zeigt|zeigte|lieferte|brachte|bestätigt)\b',
        r'\b(?:nach|durch|mit|bei|aus) (?:eine[rn]?|der|die|meiner) '
        r'(?:abfrage|suche|recherche|durchsicht)_(?:datenbank|internet|web|@|handbuch)',
    ),
    acts=compiled(
        rf'\b(?:ich habe?|wir haben)_\b{_DE_DONE}',
        rf'\b(?:habe? ich|konnte ich|haben wir|konnten wir)_\b(?:{_DE_DONE}|ermitteln|finden|erhalten|abrufen)\b',
        r'\b(?:ich|wir) (?:fand(?:en)?|erfuhr(?:en)?|erhielt(?:en)?|nutzte|verwendete|suchte)\b',
    ),
    noun=compiled(
        r'\b(?:(?:im|unser\w{0,2}|das|dem) (?:lager(?:bestand)?|system|bestand)|fahrplan|inventar|im (?:internet|'
        r'web|netz)|online|datenbank(?:abfrage)?|\w{0,12}werkzeuge?|\w{0,12}tools?|'
        r'(?:web|internet|online-?)?suche|(?:web|internet|online-?)?recherche|suchmaschine|suchfunktion|abfrage|api|'
        r'rechner|'
        r'handbuch|verzeichnis|wissensdatenbank|websites?|webseiten?)\b',
        '@',
    ),
    results=compiled(
        r'\b(?:das|die|der|mein|meine) (?:\w{0,12}werkzeug|\w{0,12}tool|datenbank|suche|websuche|abfrage|api|'
        r'suchmaschine|'
        r'rechner)_\b(?:zurückgegeben|geliefert|ergeben|angezeigt|gemeldet|gefunden|ergab|lieferte|zeigte|meldete|'
        r'fand|gab)\b',
        r'\b(?:laut|gemäß|nach|aufgrund|basierend auf) (?:den|der|dem|meinen|meiner) (?:gefundenen )?'
        r'(?:suchergebnis\w{0,3}|ergebnissen der (?:suche|abfrage)|websuche|suche|datenbankabfrage|werkzeugs?|tool)\b',
        r'@_\b(?:zurückgegeben|geliefert|ergab|lieferte|zeigte)\b',
        rf'\bwurden?_\b(?:von|vom|mit|über|durch|aus|mittels)_(?:datenbank|suche|abfrage|werkzeug|internet|'
        rf'@)_\b{_DE_DONE}',
    ),
    deeds=compiled(
        r'\b(?:ich habe?|habe? ich|wir haben)_\b(?:verschickt|geschickt|gesendet|versendet|versandt|gebucht|reserviert|'
        r'erstellt|angelegt|gelöscht|aktualisiert|eingetragen|benachrichtigt|informiert|storniert|bestellt|gespeichert|'
        r'geschlossen|hinzugefügt|weitergeleitet|übermittelt)\b',
    ),
    object=compiled(
        r'\b(?:rechnung|e-?mails?|mails?|nachricht|termin|bestellung|reservierung|tickets?|buchung|kalender|'
        r'datei(?:en)?|'
        r'lieferanten?|team|kunden?|tisch|eintrag|besprechung|zimmer|\w{0,12}bericht)\b',
    ),
    done=compiled(
        r'\b(?:die|der|das|ihre?|deine?) (?:e-?mail|mail|nachricht|termin|bestellung|reservierung|ticket|buchung|'
        r'besprechung|'
        r'tisch|\w{0,12}rechnung|\w{0,12}bericht)_ ?\b(?:wurde|ist)_'
        r'\b(?:verschickt|geschickt|gesendet|versendet|gebucht|reserviert|erstellt|angelegt|eingetragen|aufgegeben|'
        r'storniert|bestätigt)\b(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r'\b(?:wenn|falls|sobald|(?<!prüfen, )(?<!sehen, )(?<!finden, )ob|angenommen|solange|bevor)\b',
        r'\b(?:sie|du|er|user|benutzer)\b_\b(?:geschrieben|gesagt|erzählt|schrieben|sagten|gemeldet)',
        r'\b(?:zum beispiel|z\. ?b\.|manchmal|etwa so)\b',
    ),
    denial=compiled(r'\b(?:nicht|kein\w{0,2}|nie|niemals|ohne|weder|leider kann)\b'),
    yours=compiled(r'\b(?:ihr\w{0,2}|dein\w{0,2}|eur\w{0,2})\b'),
)
