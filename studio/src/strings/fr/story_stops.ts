// story_stops.ts : les mots des étapes, de la première au banc d’essai.
import type { StopText } from "../story_stops";
import { storyTitles } from ".";

const alone: StopText = {
  short: "Seul",
  title: storyTitles[0],
  text: [
    "Une phrase entre comme un ensemble de mots. Un transformer les appelle tokens ; pensez à des oiseaux. D’abord, " +
      "personne ne parle.",
    "Chaque mot vole de sa propre volonté : où il va dépend d’où il est, et de rien d’autre. Observez les deux oiseaux nommés _liquide_. " +
      "L’un coule dans une rivière, l’autre, comme dans « payer en liquide », se compte en billets. Les deux s’écrivent pareil, donc les " +
      "deux partent du même lieu.",
  ],
  formula: "Le prochain lieu d’un mot : son lieu, et un pas f à lui. Le même f pour chaque mot.",
  question: "Quand les deux liquides se sépareront-ils ?",
  choices: [
    { text: "Après quelques battements d’ailes", answer: "Attendez tant que vous voulez : les oiseaux cerclés restent au même lieu." },
    {
      text: "Jamais",
      answer: "Même lieu, même règle, même chemin. Un mot qui n’entend personne ne peut pas savoir quel liquide il est.",
    },
    {
      text: "Cela dépend des autres mots",
      answer: "Ici personne n’entend personne : le chemin d’un mot ne dépend que de son propre lieu.",
    },
  ],
  breaks:
    "Les oiseaux naissent séparés et jamais tout à fait pareils. Deux tokens d’un même mot partent égaux au dernier bit près, jusqu’à ce " +
    "qu’on leur dise où ils sont dans la phrase (étape 7).",
  begin: "Sept mots, chacun vole seul ; deux d’entre eux s’appellent liquide.",
  end: "Tous les mots ont suivi leur propre chemin ; les deux liquides sont là où il y en a un.",
  goal: "Un mot qui n’entend personne ne peut pas savoir lequel de ses sens est voulu.",
  task: "Laissez jouer. Puis écartez d’un cheveu les deux liquides, ou faites-en glisser un : alors seulement leurs chemins diffèrent.",
};

const messenger: StopText = {
  short: "Messager",
  title: storyTitles[1],
  text: [
    "Envoyez maintenant un messager de mot en mot, avec une seule page où écrire. À chaque mot il récrit la page : un peu " +
      "de l’ancien, un peu du nouveau. C’est un réseau récurrent.",
    "Le dernier mot est _liquide_. Le mot qui l’explique, _rivière_, est venu le premier. Les barres sont mesurées sur un messager " +
      "entraîné : combien chaque dixième d’une file pèse encore sur son verdict quand la marche est finie.",
  ],
  formula: "h est la page ; p est le mot qu’il vient de voir ; les matrices W sont apprises.",
  question: "Mettez les mêmes mots dans un autre ordre. Sur 100 verdicts du messager entraîné, combien changent ?",
  choices: [
    {
      text: "Aucun",
      answer: "C’est le chiffre de la nuée. Le messager a besoin d’une file, et a appris sur des files dans un seul ordre.",
    },
    { text: "Environ 4", answer: "Bien plus : la page se souvient de qui est venu en dernier." },
    {
      text: "Environ 44",
      answer: "43,8 sur 100. Pour une nuée qui écoute comme à l’étape 6 : pas un sur 1850. Les deux ont appris la même tâche.",
    },
  ],
  breaks:
    "Aucune nuée n’a de messager : les oiseaux entendent leurs voisins tous à la fois. Et une page est une piètre mémoire : le premier " +
    "dixième d’une file compte 0,00015 de ce que compte le dernier. Des réseaux récurrents plus récents (LSTM et autres) retiennent " +
    "plus que celui-ci, tout simple.",
  begin: "Dix mots font la file. Un messager va du premier au dernier.",
  end: "Le messager est arrivé au dernier mot ; les premiers ne comptent presque plus.",
  goal: "Un résumé passé le long d’une file oublie ce qui est venu tôt, et dépend de l’ordre de la file.",
  task: "Mêlez la file. Les mots changent de place, pas les barres : on entend qui vient en dernier.",
};

const attraction: StopText = {
  short: "Attraction",
  title: storyTitles[2],
  text: [
    "Maintenant chacun entend chacun, à la fois, sans ordre. Le plus simple à faire de ce qu’on entend : voler vers le milieu " +
      "de tous.",
    "Les flèches sur _liquide_ sont ce qu’il entend : une par mot, chacune un message fois sa part, et toutes les parts valent un " +
      "septième. _Le_ compte autant que _rivière_. Bientôt tous sont d’accord. Le prix : ce qui distinguait les mots a disparu.",
  ],
  formula: "Chacun est attiré par chacun des autres, tous pour la même part 1/n ; s dit avec quelle force.",
  question: "Tous se sont rejoints. Que sait encore leur lieu de rencontre de la phrase ?",
  choices: [
    {
      text: "Quel liquide était voulu",
      answer: "Chaque mot a tiré pareil, donc le lieu de rencontre ne peut pas dire qui importait.",
    },
    {
      text: "Seulement où était le milieu au départ",
      answer:
        "Le milieu ne bouge jamais ; tout écart à lui rétrécit au même rythme. Deux phrases de même milieu finissent " +
        "pareil.",
    },
    { text: "Rien du tout", answer: "Presque : il reste un lieu, le milieu de là où tous ont commencé." },
  ],
  breaks:
    "Des oiseaux qui s’approchent gardent une largeur d’aile. Les tokens n’ont pas de largeur : ils peuvent tous être au même lieu. Et ce " +
    "n’est pas encore l’attention. On dessine souvent l’attention comme une attraction ; les étapes suivantes disent pourquoi elle est plus.",
  begin: "Sept mots sont attirés vers le milieu de tous.",
  end: "Tous les mots se sont rejoints en un lieu ; rien ne les distingue.",
  goal: "Une simple moyenne rend tous les mots pareils : l’accord sans la compréhension.",
  task: "Faites glisser un mot très loin et voyez le lieu de rencontre le suivre d’un septième. Baissez l’attrait à 0.",
};

const messages: StopText = {
  short: "Messages",
  title: storyTitles[3],
  text: [
    "Une coque : de noix, ou de bateau ? Mettez-la parmi _océan_, _fuite_ et _urgence_, et personne ne pense à une " +
      "noix.",
    "Regardez les flèches sur _coque_ : aucune ne vise celui qui parle. Un mot n’attire pas les autres là où il est. Il envoie un " +
      "message, fait par une matrice V. Ce V dit : viens du côté du bateau, et presse-toi. Ce qui diffère en hâte, il l’écarte " +
      "davantage, _océan_ vers le bas et _urgence_ vers le haut.",
  ],
  formula:
    "V change une différence de lieux en message. (Un transformer envoie V x ; ici c’est dit comme l’écouteur le voit, pour que la nuée " +
    "reste dans la page. L’étape 6 a la vraie chose.)",
  question: "_Urgence_ attire-t-elle la coque, ou la repousse-t-elle ?",
  choices: [
    { text: "Elle attire", answer: "Selon une direction seulement. Regardez V : son dernier nombre est négatif." },
    { text: "Elle repousse", answer: "Selon une direction seulement. La coque vient bel et bien." },
    {
      text: "Les deux",
      answer:
        "Vers la droite elle attire ; en haut et en bas elle écarte ce qui diffère. Avec V = 1 il n’y a que l’attraction : essayez, et les " +
        "flèches visent ceux qui parlent.",
    },
  ],
  breaks:
    "Un oiseau ne peut montrer que où il est et où il va. Un token dit autre chose que son lieu : V peut l’étirer, le tourner ou le " +
    "retourner.",
  begin: "La coque se tient à l’écart d’océan, fuite et urgence.",
  end: "La coque est venue du côté du bateau ; océan et urgence se sont écartés.",
  goal: "Un message (valeur) n’est pas une traction vers celui qui parle : la matrice V décide où il va.",
  task: "Comparez les flèches sur coque avec « Approche » et avec « Viens, et vite ». Faites glisser océan : quelle flèche change ?",
};

const listening: StopText = {
  short: "Écoute",
  title: storyTitles[4],
  text: [
    "Toutes les voix n’importent pas à toutes les oreilles. Pour _liquide_, _le_ ne dit rien et _rive_ dit tout.",
    "Chaque mot donne donc à chaque autre une part de son attention ; la somme des parts vaut un. Ici, les mots qui disent beaucoup écoutent " +
      "ceux qui disent beaucoup, et ce qu’ils racontent est leur sujet, l’eau ou l’argent. Chaque flèche est un message fois sa " +
      "part. Changez de phrase : le même _liquide_, du même départ, s’envole de l’autre côté. Ou tapez la vôtre.",
  ],
  formula:
    "a est la part d’attention, β la finesse de l’oreille, V ce qui est dit. Q et K décident qui convient à qui : étape suivante.",
  question: "Baissez β à 0. Que reste-t-il ?",
  choices: [
    {
      text: "L’étape 3 : chacun entend chacun pareil",
      answer:
        "Toutes les parts valent de nouveau 1/n, et tous les sujets se rejoignent au milieu : _liquide_ n’est ni mouillé ni riche. Choisir, " +
        "c’est ce que β aiguise.",
    },
    {
      text: "Personne n’écoute, personne ne bouge",
      answer: "La somme des parts vaut un : à β = 0, chacun écoute chacun pareil.",
    },
    { text: "Seul _liquide_ bouge encore", answer: "La même règle vaut pour tous les mots. Essayez." },
  ],
  breaks:
    "Un étourneau prend garde aux six ou sept oiseaux les plus proches. Un token écoute à travers toute la phrase, quiconque lui convient, " +
    "si loin qu’il soit.",
  begin: "Liquide guette les mots qui disent beaucoup.",
  end: "Liquide a pris le sujet des mots qu’il écoute.",
  goal: "L’attention donne une part à chacun de ceux qui parlent ; leur somme vaut un ; β dit combien elles sont inégales.",
  task: "Tapez une phrase où il y a liquide. Faites glisser les mots que la page ne connaît pas là où vous les mettriez.",
};

export const firstStops: StopText[] = [alone, messenger, attraction, messages, listening];

const asking: StopText = {
  short: "Requête, clé, valeur",
  title: storyTitles[5],
  text: [
    "Qui convient à qui ? Chaque mot demande (sa requête, Q x), chacun porte un badge (sa clé, K x), chacun a quelque chose à dire (sa " +
      "valeur, V x). Trois matrices, trois choses différentes.",
    "_Chiot_ demande une taille et une couleur : son faisceau tombe sur _petit_ et _brun_. Son propre badge n’en dit rien. Il dit : je suis " +
      "celui qui agit. Alors _dort_, qui demande qui, trouve _chiot_, et ce qu’on lui dit n’est ni la taille ni la couleur, mais : " +
      "mignon.",
  ],
  formula:
    "Mieux requête et clé se conviennent, plus la part a est grande. Puis on additionne les valeurs : c’est l’attention telle que l’a un transformer.",
  question: "Rendez K égal à Q. Qu’est-ce qui ne va plus ?",
  choices: [
    { text: "Rien : demander une couleur, c’est comme en avoir une", answer: "Essayez. Qui _chiot_ entend-il maintenant ?" },
    {
      text: "Les mots trouvent ceux qui demandent pareil, pas ceux qui répondent",
      answer:
        "_Chiot_ s’entend lui-même, _dort_ entend _petit_ et _brun_, qui posent la même question que lui. Un site de rencontres où chacun " +
        "écrit ce qu’il cherche, et personne qui il est.",
    },
    { text: "Chacun entend chacun pareil", answer: "Les parts restent inégales. Elles vont aux mauvais mots." },
  ],
  breaks:
    "L’œil d’un oiseau rencontre ce qui est devant lui. Une requête rencontre toute clé qui lui convient, et deux tokens ne sont pas " +
    "forcément d’accord : _dort_ entend _chiot_, _chiot_ n’entend pas _dort_.",
  begin: "Cinq mots avec des badges ; le faisceau de chiot tombe sur petit et brun.",
  end: "On connaît l’allure de chiot, et dort a appris qu’il y a quelque chose de mignon.",
  goal: "Requête, clé et valeur sont trois choses : ce qu’un mot cherche, comment on le trouve, ce qu’il transmet.",
  task: "Laissez chacun des cinq mots écouter tour à tour et dites tout haut : il demande …, il montre …, il dit …. Puis rendez K égal à Q.",
};

const order: StopText = {
  short: "Ordre",
  title: storyTitles[6],
  text: [
    "Une nuée n’a pas de premier oiseau. _Chien mord homme_ et _homme mord chien_ sont les mêmes trois mots, donc la même " +
      "nuée : chaque mot y suit le même chemin.",
    "Un transformer écrit donc sur chaque mot sa place dans la file : ici, plus tôt, c’est plus haut. _Mord_ vient en deuxième dans les deux " +
      "phrases et part du même lieu. Il demande qui est le plus haut.",
  ],
  formula: "Là où commence un mot : son propre lieu w, et un code p de son numéro k dans la file.",
  question: "Pas encore de codes. Vous échangez _chien_ et _homme_. Où finit _mord_ ?",
  choices: [
    {
      text: "Au même lieu qu’avant",
      answer: "Aux arrondis près : l’attention additionne sur tous, dans n’importe quel ordre. Écrivez les codes.",
    },
    { text: "De l’autre côté", answer: "Seulement avec des codes. Sans eux, nul ne sait qui est venu le premier." },
    { text: "Quelque part entre les deux", answer: "Il faudrait une marque de l’ordre pour y aller, et il n’y en a pas." },
  ],
  breaks:
    "Les oiseaux ont leur ordre par nature : l’un vole devant. Les tokens ne l’ont que si on l’écrit sur eux, ou si chacun n’entend que ceux " +
    "d’avant (étape 11). Beaucoup de modèles d’aujourd’hui tournent requêtes et clés selon leur place au lieu " +
    "d’ajouter un code.",
  begin: "Trois mots, volés dans deux ordres à la fois : disques pour l’un, cercles pour l’autre.",
  end: "Les deux vols sont finis ; les lignes montrent à quelle distance sont les mêmes mots.",
  goal: "L’attention ignore l’ordre des mots ; il faut écrire sur eux leur place.",
  task: "Faites voler les deux phrases sans codes, puis avec, et lisez à quelle distance mord est de lui-même.",
};

const rounds: StopText = {
  short: "Couches",
  title: storyTitles[7],
  text: [
    "Après une couche, un mot sait ce que savaient ceux qu’il a choisis. Après deux, ce que savaient les choisis de ceux-là. Ici chaque " +
      "couche est la même : les mêmes Q, K, V et la même pensée, une fois de plus.",
    "Après avoir écouté, chacun se fait son propre avis, par la volonté de la première étape : le réseau feed-forward, ou MLP. " +
      "Les couches sont le temps. Les mots d’une même sorte se rassemblent en amas, et _liquide_ s’installe près de la rivière ; " +
      "penser emporte des amas entiers.",
  ],
  formula:
    "Un battement d’ailes, une couche : d’abord écouter, puis penser. N est la layer norm : elle garde les mots sur la " +
    "sphère.",
  question: "Les amas se formeraient-ils sans le MLP ?",
  choices: [
    {
      text: "Oui",
      answer:
        "Écouter suffit à rassembler ; coupez la pensée et voyez. Penser décide où vont les amas. Si elle ne fait qu’écouter à jamais, presque " +
        "toute nuée de cette sorte sur une sphère devient un seul amas (arXiv 2405.18273).",
    },
    { text: "Non", answer: "Coupez la pensée et voyez : trois amas, _liquide_ parmi les mots de l’eau." },
  ],
  breaks:
    "Un oiseau a le même instinct à chaque battement, et cette nuée aussi. La plupart des transformers ont d’autres Q, K, V et un autre MLP à " +
    "chaque couche ; certains partagent un seul jeu entre toutes, comme ici.",
  begin: "Douze mots sur une sphère écoutent et pensent tour à tour.",
  end: "Les mots se sont rassemblés en amas ; liquide est avec la rivière.",
  goal: "Les couches répètent deux pas : écouter les autres, puis penser seul. Les couches sont le temps.",
  task:
    "Avancez avec › et comptez les couches jusqu’à ce que liquide ait rejoint les mots de l’eau. Coupez la pensée. Faites glisser liquide du " +
    "côté de l’argent.",
};

const levels: StopText = {
  short: "Niveaux",
  title: storyTitles[8],
  text: [
    "_Sueurs froides avant le mariage._ Il ne fait pas chaud. Le sens vient par niveaux, et chaque niveau est un espace à lui, où les " +
      "mêmes mots sont à d’autres lieux.",
    "Dans le premier espace, les mots découvrent qui va avec qui. Dans le deuxième, ce que veut dire le syntagme : _sueurs_ entend _froides_ " +
      "et quitte le corps pour les sentiments. Dans le troisième, ce que dit la phrase : _mariage_ entend _sueurs_, et doute. Chaque espace " +
      "commence où le précédent a fini.",
  ],
  formula:
    "La couche ℓ a ses propres Q, K et V ; elle lit ce que les couches d’en dessous ont écrit, et écrit selon une autre direction. (Dans les " +
    "deux premiers espaces, le message est V d’une différence de lieux, comme à l’étape 4.)",
  question: "Sautez le deuxième espace. Que devient _mariage_ ?",
  choices: [
    {
      text: "Pareil : il entend _froides_ et _sueurs_ de toute façon",
      answer: "Il entend des mots. Que les deux veulent dire la peur, ni l’un ni l’autre ne le dit.",
    },
    {
      text: "Il quitte à peine le côté sûr",
      answer: "Dans le troisième espace il demande des choses qui portent un sentiment. Sans le deuxième, des _sueurs_ sont des sueurs.",
    },
    { text: "Il va de l’autre côté", answer: "Personne ne dit rien de tel. Essayez." },
  ],
  breaks:
    "Un oiseau reste dans un seul ciel. Les tokens d’un transformer restent aussi dans un seul espace, mais de centaines de dimensions, et " +
    "chaque couche lit et écrit selon quelques-unes : les espaces d’ici en sont des vues. Que les couches de vrais modèles rangent aussi " +
    "nettement que ces trois est une image ; ce qu’on y trouve est plus mêlé.",
  begin: "Cinq mots dans le premier de trois espaces : sueurs froides avant le mariage.",
  end: "Dans le troisième espace, le mariage est du côté du doute.",
  goal: "Les couches profondes bâtissent sur ce que les premières ont trouvé : les mots, puis les syntagmes, puis la phrase.",
  task: "Suivez mariage à travers les trois petites images. Sautez le deuxième espace et comparez où il finit.",
};

const speaker: StopText = {
  short: "Porte-parole",
  title: storyTitles[9],
  text: [
    "La nuée a parlé. On veut une réponse. On peut prendre la moyenne de tous les lieux, un scrutin : la croix.",
    "Ou bien on ajoute un mot sans signification propre, CLS, qui écoute aussi, et on ne lit que lui : le cercle. " +
      "Laissez venir un invité, _prêt_, et comparez les deux avec où ils auraient été (en pâle).",
  ],
  formula: "La moyenne compte chaque token une fois ; CLS compte ceux qu’il a écoutés.",
  question: "Un invité parmi cent tokens. De combien déplace-t-il la moyenne ?",
  choices: [
    {
      text: "Un centième environ de la largeur de la nuée",
      answer:
        "Une voix parmi 101. Mesuré sur des nuées entraînées : 0,0126 de l’étendue, aucun verdict sur 300 renversé. CLS a moins bougé, " +
        "0,0035, et pourtant 3 ont basculé. À ces chiffres, aucun n’est le plus stable.",
    },
    { text: "Autant qu’il veut", answer: "Seul, non : la moyenne donne une voix à chaque token." },
    { text: "Pas du tout", answer: "Un peu : une voix parmi 101." },
  ],
  breaks:
    "Aucune nuée n’a d’oiseau qui parle pour toutes. CLS est inventé pour cela, et les autres peuvent l’écouter " +
    "aussi.",
  begin: "Sept mots et CLS se rapprochent.",
  end: "La nuée s’est posée ; la croix marque la moyenne, le cercle CLS.",
  goal: "Une réponse se lit sur la nuée : sur la moyenne de tous, ou sur un token fait pour écouter.",
  task: "Laissez venir l’invité dans une nuée serrée et dans une large, et voyez au tableau ce qu’il déplace le plus : la moyenne ou CLS.",
};

const next: StopText = {
  short: "Mot suivant",
  title: storyTitles[10],
  text: [
    "Maintenant chaque mot s’entend lui-même et entend ceux d’avant. Le dernier vole avec ce qu’il a entendu, et l’endroit où il est " +
      "dit ce qui peut venir ensuite.",
    "Chaque mot du vocabulaire a aussi un lieu : les petits points. Plus le dernier mot est près de l’un, plus celui-là est " +
      "probable. Regardez les barres pendant qu’il vole.",
  ],
  formula: "x est le lieu du dernier mot, w un mot qui peut venir, κ dit de combien le proche compte plus que le lointain.",
  question: "Pendant que le dernier mot vole, que devient le nombre de mots possibles ?",
  choices: [
    {
      text: "Il baisse",
      answer: "D’abord il n’est près de rien de précis ; ce qu’il entend resserre le choix. L’entropie le compte.",
    },
    { text: "Il monte", answer: "Ce serait le cas s’il revenait au milieu de tous. Baissez κ et vous verrez la même chose." },
    { text: "Il ne change pas", answer: "Seulement à κ = 0, où tous les mots se valent." },
  ],
  breaks:
    "Un oiseau ne dit pas où sera l’oiseau suivant. Ces lieux ont été posés à la main ; un modèle de langue en apprend des dizaines de " +
    "milliers, en centaines de dimensions.",
  begin: "Cinq mots sur une sphère ; huit autres les entourent et attendent.",
  end: "Le dernier mot s’est approché de ceux qui peuvent le suivre.",
  goal: "Un modèle de langue change le lieu du dernier token en chances pour chaque mot qui peut suivre.",
  task: "Changez de phrase, puis κ. À quel κ un mot est-il presque sûr, à quel κ tous se valent-ils ?",
};

const tested: StopText = {
  short: "À l’épreuve",
  title: storyTitles[11],
  text: [
    "Toutes les scènes jusqu’ici étaient posées à la main. Quittons donc les mots, et entraînons. Voici de l’écriture : deux chiffres, un " +
      "cinq ou un six chacun. Chaque point d’encre est un token. La question : les deux chiffres sont-ils identiques ?",
    "L’un des lecteurs écoute, comme à l’étape 6 ; ses tokens entendent les deux images. L’autre a été entraîné aussi longtemps, avec autant " +
      "de nombres, mais aucun token n’entend personne, comme à l’étape 1. On lit la moyenne de tous les tokens (la croix), et la boule est le vote : à " +
      "mi-chemin rien n’est décidé, dans une porte il est sûr. En bas : ce qu’ont atteint des lecteurs ayant les moyens de chaque étape.",
  ],
  formula: "Le verdict : la porte g la plus proche de la moyenne de tous les tokens, celle vers laquelle elle va le plus loin.",
  question: "Sur quatre paires (5 5, 5 6, 6 5, 6 6), combien un lecteur dont les tokens n’entendent personne peut-il en avoir justes au plus ?",
  choices: [
    { text: "Deux", answer: "Une de plus est possible : une somme de votes qui dit « identiques » pour 5 5 et « différents » pour les trois autres en a trois sur quatre." },
    {
      text: "Trois",
      answer:
        "Des tokens qui n’entendent personne ne font qu’additionner des votes, image par image, et aucune somme de votes ne dit « identiques » pour 5 5 et 6 6 et " +
        "« différents » pour les deux autres : un ou exclusif. Une sur quatre est toujours fausse, si longtemps qu’on l’entraîne. Dans le " +
        "tableau : 75 au plus.",
    },
    { text: "Quatre", answer: "Additionner des votes n’y suffit pas. Interrogez-le sur les quatre paires : le tableau est calculé maintenant." },
  ],
  breaks:
    "Les oiseaux ne lisent pas. Ces lecteurs sont petits : des tokens en trois dimensions, dix couches, une tête. Ils montrent à quoi il faut " +
    "se parler, non comment lit un grand modèle.",
  begin: "Deux chiffres manuscrits, chaque point d’encre un token.",
  end: "La moyenne de la nuée est lue, et le vote est arrivé à sa porte.",
  goal: "Des lecteurs entraînés le confirment : des tokens seuls ne peuvent pas faire certaines tâches, des tokens qui écoutent le peuvent.",
  task: "Devinez avant de regarder : montrez un lecteur après l’autre dans le graphique, et interrogez les deux sur les quatre paires.",
};

export const laterStops: StopText[] = [asking, order, rounds, levels, speaker, next, tested];
