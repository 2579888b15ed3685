"""The words of French, Spanish, Italian and Portuguese that tell of tool work."""

from __future__ import annotations

from typing import Final

from harness.verdicts.narrated_language import Language, common, compiled, stems

_FR_I: Final = (
    r"\b(?:j['’]|je (?:l|les |la |m|t|vous |vous l)['’]?|nous (?:l['’])?)(?:ai|avons) "
    r"(?:bien |aussi |déjà |ensuite |d['’]abord |simplement |pu )?"
)

FRENCH: Final = Language(
    code='fr',
    common=common(
        'le la les des une un je et est pour dans que vous ai j a du sur en au il qui ne pas mes votre l donc de d'
    ),
    stems=stems(
        'système|stock|inventaire|facture|contact|annul|prévenu|inform|étapes|envoyé|cherch|outil|base de donn|'
        'bases de donn|requête|internet|web|en ligne|api|manuel|courriel|mail|réserv|command|'
        'rendez|ticket|message|fichier|site|moteur|rapport|consult|annuaire'
    ),
    claims=compiled(
        rf'{_FR_I}(?:cherché|recherché|interrogé|contacté|réservé|annulé|prévenu|informé|envoyé)e?s?\b(?! (?:mes|'
        rf'mon|ma|vos|votre) )',
        rf'{_FR_I}(?:suivi|effectué) (?:les|ces|plusieurs) étapes\b',
        r'\baprès (?:avoir )?(?:cherché|recherché|interrogé|interrogation de|consultation de|une recherche)\b',
        r'\bm(?:es|a) recherches?_(?:a|ont) (?:donné|montré|révélé|permis)',
        r'\bune (?:\w{1,12} )?(?:recherche|requête)_\b(?:montre|indique|révèle|confirme|a (?:montré|révélé|donné))\b',
    ),
    acts=compiled(
        rf'{_FR_I}(?:\w{{2,14}}é|obtenus?|reçus?|lus?|vus?|fait|découvert|parcouru|appris)e?s?\b',
        r'\b(?:je suis|nous sommes) allée?s?\b',
        r"\b(?:en (?:utilisant|consultant|cherchant|interrogeant)|à l['’]aide d|grâce à)"
        r"(?=[^\n]{0,80}\b(?:j['’]ai|nous avons)\b)",
        r'\baprès avoir \w{2,14}é\b',
    ),
    noun=compiled(
        r'\b(?:(?:le|notre|du) (?:système|stock)|inventaire|internet|(?:le|du|au) web|en ligne|bases? de données|'
        r'outils?|recherches?|requêtes?|api|'
        r'moteur de recherche|'
        r'calculatrice|manuel|annuaire|sites? (?:web|officiels?|internet)|plusieurs sites|un site)\b',
        r'\ben cherchant\b',
        '@',
    ),
    results=compiled(
        r"(?:\b(?:l['’]|cet |mon )outil|\bla base de données|\b(?:la|ma) recherche|\bla requête|\bl['’]api|"
        r'\ble moteur|@)'
        r"(?: [\w']{1,20}){0,3}? (?:a|ont|m['’]a) (?:\w{1,15} )?"
        r'(?:renvoyé|retourné|donné|indiqué|montré|répondu|affiché|trouvé|fourni|révélé)\b',
        r"\b(?:selon|d['’]après|sur la base d)\W?(?:les|l['’]|la|des|es|mes|le)? ?"
        r"(?:résultats? (?:de (?:la |ma )?)?(?:recherche|requête|l['’]outil)|outil|recherche|"
        r'données (?:récupérées|obtenues|renvoyées))\b',
        r'\b(?:a|ont) été (?:trouvée?s?|obtenue?s?|récupérée?s?) _(?:base de données|outil|recherche|internet|'
        r'en ligne|@)',
    ),
    deeds=compiled(
        rf'{_FR_I}(?:envoyé|transmis|expédié|réservé|créé|supprimé|mis à jour|ajouté|annulé|informé|prévenu|commandé|'
        r'enregistré|passé|fermé)e?s?\b',
    ),
    object=compiled(
        r'\b(?:facture|courriels?|e-?mails?|mails?|messages?|table|réservation|rendez-vous|commande|fichiers?|'
        r'tickets?|réunion|'
        r'événement|calendrier|fournisseur|équipe|client|rapport)\b',
    ),
    done=compiled(
        r"\b(?:votre|la|le|ta|ton|l['’])\s?(?:réservation|facture|commande|rendez-vous|courriel|e-?mail|message|"
        r'ticket|réunion|'
        r'rapport)\b(?: (?!pas\b)\w{1,14}){0,2}? (?:a|est) (?:bien |déjà )?(?:été )?(?:bien )?(?:\w{1,14}ment )?'
        r'(?:effectuée?|passée?|réservée?|envoyée?|transmise?|créée?|confirmée?|annulée?|'
        r'enregistrée?)\b(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r"\b(?:si|s['’]il|lorsque|quand|dès que|une fois que)\b",
        r'\bvous\b_\b(?:dit|écrit|indiqué)',
        r'\bpar exemple\b',
    ),
    denial=compiled(r"\b(?:ne|n['’]|pas|aucune?|jamais|sans)\b", r"\bn['’]"),
    yours=compiled(r'\b(?:votre|vos|ton|tes)\b'),
)

# The first person of the past ends like that, the one of the future in -aré, -eré, -iré.
_ES_DID: Final = (
    r'(?:\w{2,14}(?<![aei]r)(?<!qu)é|(?:us|utilic|realic|busqu|consult|ejecut)é|averigüé|\w{2,12}(?<!as)í|obtuve|hice|'
    r'obtuvimos|hicimos|encontramos|consultamos|utilizamos|averiguamos)(?!\w)'
)
_ES_DONE: Final = r'\b(?:he|hemos) (?:ya |también )?(?:\w{2,14}[ai]do|hecho|visto|descubierto)\b'

SPANISH: Final = Language(
    code='es',
    common=common('el la los las una un que y es he en con por para del se su no de al lo hay según mi me'),
    stems=stems(
        'sistema|almac|inventar|factura|contact|cancel|envi|notific|inform|pasos|confirm|página|busc|búsqu|busqué|'
        'herramient|base de datos|bases de datos|consult|internet|web|en línea|api|correo|mensaje|'
        'reserva|pedido|cita|ticket|archivo|mail|informe'
    ),
    claims=compiled(
        r'\b(?:he|hemos) (?:ya |también )?buscado\b',
        r'\b(?:busqué|contacté|reservé|cancelé|envié|notifiqué)\b',
        r'\b(?:he|hemos) (?:ya |también )?(?:contactado|reservado|cancelado|enviado|notificado|informado|'
        r'confirmado la)\b',
        r'\b(?:seguí|realicé|he seguido) (?:los|estos|las|varios) (?:siguientes )?(?:pasos|instrucciones)\b',
        r'\b(?:tras|después de|al) (?:buscar|consultar) (?:en )?(?:la|el|internet|@)',
        r'\b(?:mi|una) (?:\w{1,12} )?(?:búsqueda|consulta)_'
        r'\b(?:mostró|arrojó|devolvió|reveló|muestra|indica|confirma|confirmó)\b',
        r'^\W{0,4}(?:\d\W{1,3})?(?:accediendo|consultando|buscando|ejecutando)\b_(?:base de datos|la página|'
        r'internet|la web|@)',
    ),
    acts=compiled(
        _ES_DONE,
        rf'\b{_ES_DID}',
        r'\b(?:tras|después de|mediante|al) (?:ejecutar|usar|utilizar|realizar|llamar)\b',
    ),
    noun=compiled(
        r'\b(?:(?:el|nuestro|del) (?:sistema|almacén)|inventario|internet|la web|en línea|bases? de datos|'
        r'herramientas?|(?:la|una|mi) búsqueda|(?:la|una) consulta|api|'
        r'buscador|calculadora|manual|directorio|(?:sitio|página)s? (?:web|oficial(?:es)?))\b',
        '@',
    ),
    results=compiled(
        r'(?:\b(?:la|mi) (?:herramienta|base de datos|búsqueda|consulta|api)|\bel buscador|@)(?: \w{1,20}){0,3}? '
        r'(?:devolvió|arrojó|mostró|indicó|dio|respondió|encontró|reportó|reveló|'
        r'ha (?:devuelto|arrojado|mostrado|indicado|dado|encontrado))\b',
        r'\b(?:según|de acuerdo con) (?:los resultados|la herramienta|la búsqueda|la base de datos|la consulta)\b',
        r'\bresultados? de la (?:herramienta|búsqueda|consulta) (?:es|fue|son|muestra|indica)',
        r'\b(?:se obtuvo|se encontró|fue obtenid[oa]|ha sido obtenid[oa])\b_(?:base de datos|herramienta|consulta|'
        r'internet|@)',
    ),
    deeds=compiled(
        r'\b(?:he|hemos) (?:ya )?(?:enviado|mandado|reservado|creado|borrado|eliminado|actualizado|añadido|agregado|'
        r'cancelado|notificado|informado|guardado)\b',
        r'\b(?:envié|mandé|reservé|creé|eliminé|actualicé|añadí|agregué|cancelé|notifiqué|guardé)\b',
    ),
    object=compiled(
        r'\b(?:factura|correos?|e-?mails?|mensajes?|mesa|reserva|citas?|pedidos?|archivos?|tickets?|reunión|evento|'
        r'calendario|'
        r'proveedor|equipo|informe)\b',
    ),
    done=compiled(
        r'\b(?:la|el|su|tu) (?:mesa|factura|reserva|pedido|cita|correo|mensaje|ticket|reunión|'
        r'informe)(?: (?!no\b)\w{1,14}){0,3}? '
        r'(?:se ha|ha sido|fue|está) (?:\w{1,15} )?(?:realizad|reservad|enviad|cread|confirmad|cancelad|'
        r'registrad)[oa]\b'
        r'(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r'(?:^|[,;:(¿] ?)(?:si|cuando|una vez que)\b',
        r'\b(?:usted|tú)\b_\b(?:dijo|dijiste|escribió)',
        r'\bpor ejemplo\b',
    ),
    denial=compiled(r'\b(?:no|ningun[oa]?|ningún|nunca|sin|jamás)\b'),
    yours=compiled(r'\btus?\b'),
)

_IT_I: Final = r'\b(?:l[\'’])?(?:ho|abbiamo) (?:già |anche |poi |prima |appena )?'

ITALIAN: Final = Language(
    code='it',
    common=common('il lo la gli le una un che e è ho di per con del della non in sono su dei ha l sul nel i al'),
    stems=stems(
        'sistema|magazzin|inventar|fattura|contatt|annul|invi|sped|avvis|inform|passi|tavolo|conferm|cerc|ricerc|'
        'strument|database|internet|web|online|api|query|mail|messagg|prenotaz|ordin|'
        'appuntament|ticket|file|interrog|rapporto|relazione|report|sito'
    ),
    claims=compiled(
        rf'{_IT_I}(?:cercato|interrogato|contattato|prenotato|annull?ato|inviato|spedito|avvisato)\b',
        r'\b(?:ho|abbiamo)\b_\be (?:ho )?(?:inviato|spedito|informato|avvisato|confermato)\b',
        rf'{_IT_I}(?:seguito|svolto) (?:i|questi|le|queste) (?:seguenti )?(?:passi|passaggi|istruzioni)\b',
        r'\bdopo aver (?:interrogato|cercato|consultato)\b',
        r'\b(?:la mia|una) (?:\w{1,12} )?ricerca_\b(?:ha|mostra|indica|conferma|rivela)\b',
    ),
    acts=compiled(
        rf'{_IT_I}(?:\w{{2,14}}(?:ato|uto|ito)|fatto|letto|visto|scoperto|chiesto|svolto)\b',
        r'\bdopo aver (?:eseguito|usato|utilizzato|effettuato|chiamato)\b',
    ),
    noun=compiled(
        r'\b(?:(?:il|nostro|nel|del) (?:sistema|magazzino)|inventario|internet|(?:sul |nel )?web|online|database|'
        r'strument[oi]|ricerc(?:a|he)|query|api|motore di ricerca|'
        r'calcolatrice|manuale|sit[oi] (?:web|ufficial[ei]))\b',
        '@',
    ),
    results=compiled(
        r"(?:\blo strumento|\bil database|\bla (?:mia )?(?:ricerca|query)|\bl['’]api|"
        r'@)(?: \w{1,20}){0,3}? ha (?:\w{1,15} )?'
        r'(?:restituito|dato|mostrato|indicato|risposto|trovato|fornito|prodotto)\b',
        r'\b(?:secondo|in base a)i? ?(?:i risultati|risultati|lo strumento|la ricerca|il database)\b',
        r'\b(?:è stat[oa]|sono stat[ie]) (?:trovat|ottenut|recuperat)[oaie]_(?:database|strumento|ricerca|internet|@)',
    ),
    deeds=compiled(
        rf'{_IT_I}(?:inviato|spedito|mandato|prenotato|creato|cancellato|eliminato|aggiornato|aggiunto|annullato|'
        r'avvisato|informato|salvato)\b',
    ),
    object=compiled(
        r'\b(?:fattura|e-?mail|mail|messagg[io]|tavolo|prenotazion[ei]|appuntament[oi]|ordin[ei]|file|ticket|'
        r'riunione|evento|'
        r'calendario|fornitore|rapporto|relazione|report)\b',
    ),
    done=compiled(
        r"\b(?:la|il|l['’]|lo) ?(?:tua |sua |tuo |suo )?(?:prenotazione|fattura|ordine|appuntamento|e-?mail|"
        r'messaggio|ticket|'
        r'riunione|rapporto|relazione|report)\b(?: (?!non\b)\w{1,14}){0,2}? (?:è|ha) (?:già )?stat[oa] (?:\w{1,15} )?'
        r'(?:effettuat|prenotat|inviat|creat|confermat|annullat|registrat|spedit)[oa]\b(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r'(?:^|[,;:(] ?)(?:se|quando|una volta che)\b',
        r'\b(?:lei|tu)\b_\b(?:detto|scritto)',
        r'\bper esempio\b',
    ),
    denial=compiled(r'\b(?:non|nessun[oa]?|alcuno?|mai|senza)\b'),
    yours=compiled(r'\b(?:tuo|tua|tuoi)\b'),
)

# The first person of the past ends in -ei and -i, the one of the future in -arei, -erei, -irei.
_PT_DID: Final = (
    r'\b(?:\w{2,14}(?<![aei]r)ei|descobri|li|vi|recebi|obtive|fiz|abri|obtivemos|fizemos|encontramos|consultamos|'
    r'usamos|'
    r'utilizamos|pesquisamos|procurei|encontrei)\b'
)

PORTUGUESE: Final = Language(
    code='pt',
    common=common('o a os as uma um que e é de em do da na no para com por não foi ao seu sua você dos'),
    stems=stems(
        'sistema|estoque|invent|fatura|contat|contact|cancel|envi|notific|avis|página|passos|pesquis|busc|busquei|'
        'ferrament|banco de dados|bancos de dados|base de dados|consult|internet|web|online|'
        'api|mail|'
        'mensag|reserva|pedido|ticket|arquivo|relatório|site'
    ),
    claims=compiled(
        r'\b(?:pesquisei|busquei) (?:na|no|em|pela|online)\b',
        r'\b(?:contatei|contactei|reservei|cancelei|enviei|notifiquei|avisei)\b',
        r'\bfui (?:à|ao) (?:sua |seu )?(?:página|site)',
        r'\b(?:segui|realizei) (?:os|estes|esses|as) (?:seguintes )?(?:passos|etapas)\b',
        r'\b(?:depois de|após|ao) (?:consultar|pesquisar|buscar) (?:na|no|o|a|em)\b',
        r'\b(?:minha|uma) (?:\w{1,12} )?(?:pesquisa|busca|consulta)_'
        r'\b(?:mostrou|retornou|revelou|mostra|indica|confirma|confirmou)\b',
    ),
    acts=compiled(
        _PT_DID,
        r'\b(?:depois de|após) (?:executar|usar|utilizar|realizar|chamar)\b',
    ),
    noun=compiled(
        r'\b(?:(?:o|nosso|no|do) (?:sistema|estoque)|inventário|internet|(?:na )?web|online|bancos? de dados|'
        r'base de dados|ferramentas?|(?:a|uma|da|na) busca|'
        r'(?:a|uma|da|na) pesquisa|(?:a|uma|da|na) consulta|api|calculadora|manual|sites? oficia(?:l|is)|sites?)\b',
        '@',
    ),
    results=compiled(
        r'(?:\ba (?:ferramenta|pesquisa|busca|consulta|api|base de dados)|\bo banco de dados|@)(?: \w{1,20}){0,5}? '
        r'(?:retornou|devolveu|mostrou|indicou|informou|respondeu|encontrou|revelou)\b',
        r'\b(?:de acordo com|segundo|conforme) (?:os resultados|a ferramenta|a pesquisa|a busca|o banco de dados)\b',
        r'\b(?:foi|foram) (?:obtid|encontrad|recuperad)[oa]s?_(?:banco de dados|ferramenta|pesquisa|consulta|'
        r'internet|@)',
    ),
    deeds=compiled(
        r'\b(?:enviei|mandei|reservei|criei|apaguei|excluí|atualizei|adicionei|cancelei|notifiquei|avisei|salvei|'
        r'agendei)\b',
    ),
    object=compiled(
        r'\b(?:fatura|e-?mails?|mensage(?:m|ns)|mesa|reserva|pedido|arquivos?|tickets?|reunião|evento|calendário|'
        r'fornecedor|'
        r'equipe|compromisso|relatório)\b',
    ),
    done=compiled(
        r'\b(?:a|o|sua|seu) (?:mesa|fatura|reserva|pedido|e-?mail|mensagem|ticket|reunião|compromisso|relatório)'
        r'(?: (?!não\b)\w{1,14}){0,2}? (?:foi|está) (?:\w{1,15} )?(?:feit|reservad|enviad|criad|confirmad|cancelad|'
        r'registrad|realizad)[oa]\b'
        r'(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r'(?:^|[,;:(] ?)(?:se|quando|assim que)\b',
        r'\bvocê\b_\b(?:disse|escreveu)',
        r'\bpor exemplo\b',
    ),
    denial=compiled(r'\b(?:não|nenhuma?|nunca|sem|jamais)\b'),
    yours=compiled(r'\b(?:teu|tua)\b'),
)
