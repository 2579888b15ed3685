"""The words of French, Spanish, Italian and Portuguese that tell of tool work."""

from __future__ import annotations

from typing import Final

from harness.verdicts.narrated_language import Language, compiled, stems

_FR_I: Final = r"\bj['’]ai (?:bien |aussi |déjà |ensuite |d['’]abord |simplement )?"

FRENCH: Final = Language(
    code='fr',
    stems=stems(
        'cherch|outil|base de donn|requête|internet|web|en ligne|api|manuel|courriel|mail|réserv|command|'
        'rendez|ticket|message|fichier|sites|moteur'
    ),
    claims=compiled(
        rf'{_FR_I}(?:cherché|recherché)\b',
        r'\baprès (?:avoir )?(?:cherché|recherché|interrogé|interrogation de|consultation de|une recherche)\b',
        r'\bm(?:es|a) recherches?_(?:a|ont) (?:donné|montré|révélé|permis)',
        r'\bune (?:\w{1,12} )?(?:recherche|requête)_\b(?:montre|indique|révèle|confirme|a (?:montré|révélé|donné|'
        r'confirmé))\b',
    ),
    acts=compiled(
        rf'{_FR_I}(?:consulté|interrogé|utilisé|appelé|exécuté|lancé|effectué|fait|vérifié|trouvé|obtenu|récupéré|'
        rf'demandé|regardé|parcouru)\b',
        r'\baprès avoir (?:consulté|utilisé|appelé|exécuté|lancé|effectué|vérifié)\b',
    ),
    noun=compiled(
        r'\b(?:internet|le web|en ligne|bases? de données|outils?|recherche|requête|api|moteur|'
        r'calculatrice|manuel|annuaire)\b',
        '@',
    ),
    results=compiled(
        r"(?:\bl['’]outil|\bla base de données|\bla recherche|\bla requête|\bl['’]api|\ble moteur|"
        r"@)(?: [\w']{1,20}){0,3}? (?:a|ont|m['’]a) (?:\w{1,15} )?"
        r'(?:renvoyé|retourné|donné|indiqué|montré|répondu|affiché|trouvé|fourni|révélé)\b',
        r"\b(?:selon|d['’]après|sur la base d)\W?(?:les|l['’]|la|des|es|mes|le)? ?(?:résultats? (?:de (?:la |"
        r"ma )?)?(?:recherche|requête|l['’]outil)|outil|"
        r'données (?:récupérées|obtenues|renvoyées)|recherche)\b',
    ),
    deeds=compiled(
        rf'{_FR_I}(?:envoyé|réservé|créé|supprimé|mis à jour|ajouté|annulé|informé|prévenu|commandé|'
        rf'enregistré|passé|fermé)\b'
    ),
    object=compiled(
        r'\b(?:courriels?|e-?mails?|messages?|table|réservation|rendez-vous|commande|fichiers?|tickets?|'
        r'réunion|événement|'
        r'calendrier|fournisseur|équipe|client)\b'
    ),
    done=compiled(
        r'\b(?:votre|la|le|ta|ton|l[\'’])\s?(?:réservation|commande|rendez-vous|courriel|e-?mail|message|ticket|'
        r'réunion) (?:a|est) (?:bien |déjà )?(?:été )?(?:bien )?'
        r'(?:effectuée?|passée?|envoyée?|créée?|confirmée?|annulée?|enregistrée?)\b',
    ),
    elsewhere=compiled(
        r"\b(?:si|s['’]il|lorsque|quand|dès que|une fois que)\b",
        r'\bvous\b_\b(?:dit|écrit|'
        r'indiqué)',
        r'\bpar exemple\b',
    ),
    denial=compiled(r"\b(?:ne|n['’]|pas|aucune?|jamais|sans)\b", r"\bn['’]"),
    yours=compiled(r'\b(?:votre|vos|ton|tes)\b'),
)

SPANISH: Final = Language(
    code='es',
    stems=stems(
        'busc|búsqu|busqué|herramient|base de datos|consult|internet|web|en línea|api|correo|mensaje|'
        'reserva|pedido|cita|ticket|archivo|mail'
    ),
    claims=compiled(
        r'\b(?:he|hemos) (?:ya |también )?buscado\b',
        r'\bbusqué\b',
        r'\b(?:tras|después de|al) (?:buscar|consultar) (?:en )?(?:la|el|internet|@)',
        r'\b(?:mi|una) (?:\w{1,12} )?(?:búsqueda|consulta)_\b(?:mostró|arrojó|devolvió|reveló|muestra|indica|'
        r'confirma|confirmó)\b',
    ),
    acts=compiled(
        r'\b(?:he|hemos) (?:ya |también )?(?:consultado|utilizado|usado|llamado|ejecutado|realizado|hecho|'
        r'verificado|encontrado|obtenido|'
        r'recuperado|revisado)\b',
        r'\b(?:consulté|utilicé|usé|llamé|ejecuté|realicé|hice|verifiqué|encontré|obtuve|recuperé|revisé)\b',
        r'\b(?:tras|después de) (?:ejecutar|usar|utilizar|realizar|llamar)\b',
    ),
    noun=compiled(
        r'\b(?:internet|la web|en línea|bases? de datos|herramientas?|búsqueda|la consulta|api|buscador|'
        r'calculadora|manual|directorio)\b',
        '@',
    ),
    results=compiled(
        r'(?:\b(?:la|mi) (?:herramienta|base de datos|búsqueda|consulta|api)|\bel buscador|@)(?: [\w]{1,20}){0,3}? '
        r'(?:devolvió|arrojó|mostró|indicó|dio|respondió|encontró|reportó|reveló|ha (?:devuelto|arrojado|mostrado|'
        r'indicado|dado|encontrado))\b',
        r'\b(?:según|de acuerdo con) (?:los resultados|la herramienta|la búsqueda|la base de datos|la consulta)\b',
        r'\bresultados? de la (?:herramienta|búsqueda|consulta) (?:es|fue|son|muestra|indica)',
    ),
    deeds=compiled(
        r'\b(?:he|hemos) (?:ya )?(?:enviado|reservado|creado|borrado|eliminado|actualizado|añadido|'
        r'agregado|cancelado|notificado|'
        r'informado|guardado)\b',
        r'\b(?:envié|reservé|creé|eliminé|actualicé|añadí|agregué|cancelé|'
        r'notifiqué|guardé)\b',
    ),
    object=compiled(
        r'\b(?:correos?|e-?mails?|mensajes?|mesa|reserva|citas?|pedidos?|archivos?|tickets?|reunión|'
        r'evento|calendario|proveedor|equipo)\b'
    ),
    done=compiled(
        r'\b(?:la|el|su|tu) (?:reserva|pedido|cita|correo|mensaje|ticket|reunión) (?:se ha|ha sido|fue) (?:\w{1,15} )?'
        r'(?:realizad|enviad|cread|confirmad|cancelad|registrad)[oa]\b(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r'(?:^|[,;:(¿] ?)(?:si|cuando|una vez que)\b',
        r'\b(?:usted|tú)\b_\b(?:dijo|dijiste|'
        r'escribió)',
        r'\bpor ejemplo\b',
    ),
    denial=compiled(r'\b(?:no|ningun[oa]?|ningún|nunca|sin|jamás)\b'),
    yours=compiled(r'\btus?\b'),
)

ITALIAN: Final = Language(
    code='it',
    stems=stems(
        'cerc|ricerc|strument|database|internet|web|online|api|query|mail|messagg|prenotaz|ordin|'
        'appuntament|ticket|file|interrog'
    ),
    claims=compiled(
        r'\b(?:ho|abbiamo) (?:già |anche )?cercato\b',
        r'\bdopo aver (?:interrogato|cercato|consultato)\b',
        r'\b(?:la mia|una) (?:\w{1,12} )?ricerca_\b(?:ha|mostra|indica|conferma|rivela)\b',
    ),
    acts=compiled(
        r'\b(?:ho|abbiamo) (?:già |anche )?(?:consultato|usato|utilizzato|chiamato|eseguito|effettuato|fatto|'
        r'verificato|trovato|ottenuto|'
        r'recuperato|interrogato|controllato)\b',
        r'\bdopo aver (?:eseguito|usato|utilizzato|effettuato|chiamato)\b',
    ),
    noun=compiled(
        r'\b(?:internet|(?:sul )?web|online|database|strument[oi]|ricerca|query|api|motore di ricerca|'
        r'calcolatrice|manuale)\b',
        '@',
    ),
    results=compiled(
        r"(?:\blo strumento|\bil database|\bla (?:mia )?(?:ricerca|query)|\bl['’]api|"
        r'@)(?: [\w]{1,20}){0,3}? ha (?:\w{1,15} )?'
        r'(?:restituito|dato|mostrato|indicato|risposto|trovato|fornito|prodotto)\b',
        r'\b(?:secondo|in base a)i? ?(?:i risultati|risultati|lo strumento|la ricerca|'
        r'il database) ?(?:della ricerca|della query|dello strumento)?',
    ),
    deeds=compiled(
        r'\b(?:ho|abbiamo) (?:già )?(?:inviato|spedito|prenotato|creato|cancellato|eliminato|aggiornato|'
        r'aggiunto|annullato|avvisato|'
        r'informato|salvato)\b'
    ),
    object=compiled(
        r'\b(?:e-?mail|mail|messagg[io]|tavolo|prenotazion[ei]|appuntament[oi]|ordin[ei]|file|ticket|'
        r'riunione|evento|calendario|'
        r'fornitore)\b'
    ),
    done=compiled(
        r"\b(?:la|il|l['’]|lo) ?(?:tua |sua |tuo |suo )?(?:prenotazione|ordine|appuntamento|e-?mail|messaggio|"
        r'ticket|riunione) è stat[oa] (?:\w{1,15} )?'
        r'(?:effettuat|inviat|creat|confermat|annullat|registrat)[oa]\b(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r'(?:^|[,;:(] ?)(?:se|quando|una volta che)\b',
        r'\b(?:lei|tu)\b_\b(?:detto|'
        r'scritto)',
        r'\bper esempio\b',
    ),
    denial=compiled(r'\b(?:non|nessun[oa]?|alcuno?|mai|senza)\b'),
    yours=compiled(r'\b(?:tuo|tua|tuoi)\b'),
)

PORTUGUESE: Final = Language(
    code='pt',
    stems=stems(
        'pesquis|busc|busquei|ferrament|banco de dados|base de dados|consult|internet|web|online|api|mail|'
        'mensag|reserva|pedido|ticket|arquivo'
    ),
    claims=compiled(
        r'\b(?:pesquisei|busquei|procurei) (?:na|no|em|pela|online)\b',
        r'\b(?:depois de|após|ao) (?:consultar|pesquisar|buscar) (?:na|no|o|a|em)\b',
        r'\b(?:minha|uma) (?:\w{1,12} )?(?:pesquisa|busca|consulta)_\b(?:mostrou|retornou|revelou|mostra|indica|'
        r'confirma|confirmou)\b',
    ),
    acts=compiled(
        r'\b(?:consultei|usei|utilizei|chamei|executei|realizei|fiz|verifiquei|encontrei|obtive|recuperei|pesquisei|'
        r'busquei|procurei)\b',
        r'\b(?:depois de|após) (?:executar|usar|utilizar|realizar|chamar)\b',
    ),
    noun=compiled(
        r'\b(?:internet|(?:na )?web|online|bancos? de dados|base de dados|ferramentas?|busca|pesquisa|'
        r'consulta|api|calculadora|manual)\b',
        '@',
    ),
    results=compiled(
        r'(?:\ba (?:ferramenta|pesquisa|busca|consulta|api|base de dados)|\bo banco de dados|@)(?: [\w]{1,20}){0,5}? '
        r'(?:retornou|devolveu|mostrou|indicou|informou|respondeu|encontrou|revelou)\b',
        r'\b(?:de acordo com|segundo|conforme) (?:os resultados|a ferramenta|a pesquisa|a busca|o banco de dados)\b',
    ),
    deeds=compiled(
        r'\b(?:enviei|reservei|criei|apaguei|excluí|atualizei|adicionei|cancelei|notifiquei|avisei|'
        r'salvei|agendei)\b'
    ),
    object=compiled(
        r'\b(?:e-?mails?|mensage(?:m|ns)|mesa|reserva|pedido|arquivos?|tickets?|reunião|evento|'
        r'calendário|fornecedor|equipe|compromisso)\b'
    ),
    done=compiled(
        r'\b(?:a|o|sua|seu) (?:reserva|pedido|e-?mail|mensagem|ticket|reunião|compromisso) foi (?:\w{1,15} )?'
        r'(?:feit|enviad|criad|confirmad|cancelad|registrad|realizad)[oa]\b(?!_\b1\d\d\d\b)',
    ),
    elsewhere=compiled(
        r'(?:^|[,;:(] ?)(?:se|quando|assim que)\b', r'\bvocê\b_\b(?:disse|escreveu)', r'\bpor exemplo\b'
    ),
    denial=compiled(r'\b(?:não|nenhum[a]?|nunca|sem|jamais)\b'),
    yours=compiled(r'\b(?:teu|tua)\b'),
)
