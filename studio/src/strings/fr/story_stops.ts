// story_stops.ts : les mots des étapes un à cinq : du mot seul à celui qu’il écoute.
import type { StopText } from "../story_stops";
import { storyTitles } from "./story_titles";

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
