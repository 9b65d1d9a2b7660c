// lesson.ts : les mots de la fiche des enseignants : une leçon, des buts, des idées fausses, questions et réponses.
import type * as english from "../lesson";
import type { Translation } from "../translation";

export const lesson: Translation<typeof english.lesson> = {
  title: "Les transformers comme des nuées : une leçon",
  lead:
    "Douze étapes, chacune avec une scène vivante, une idée, une question. Il n’y a pas besoin de savoir programmer ; un peu de vecteurs " +
    "aide à partir de l’étape 4. Dès 14 ans, ou en première année d’université avec les formules.",
  print: "Imprimer",
  back: "Retour au récit",
  plan: "Une leçon de 45 minutes",
  steps: [
    { time: "5 min", text: "Ensemble, étape 1. Votez sur la question avant de la jouer." },
    { time: "15 min", text: "À deux, étapes 3 à 6. Chaque paire remplit la fiche ; l’un tourne les boutons, l’autre prédit d’abord." },
    { time: "10 min", text: "Ensemble : vos phrases à l’étape 5. Recueillez des phrases qui trompent la nuée, et dites pourquoi." },
    { time: "10 min", text: "À deux, une des étapes 7, 8, 9 ou 11, racontée à une autre paire." },
    { time: "5 min", text: "Ensemble, étape 12 : devinez la barre de chaque lecteur avant de la montrer." },
  ],
  goals: "Après la leçon, les élèves savent",
  goalList: [
    "dire pourquoi un mot seul ne peut connaître son sens, et ce qu’oublie un résumé passé de main en main",
    "distinguer requête, clé et valeur par un exemple à eux",
    "lire des parts d’attention, et dire ce que β = 0 en fait",
    "expliquer pourquoi l’attention n’est pas l’attraction, par une flèche qui ne vise pas celui qui parle",
    "dire pourquoi l’ordre doit être écrit sur les mots, et ce qu’est une couche",
    "nommer une chose que l’image des oiseaux dit mal",
  ],
  wrong: "Ce que les élèves pensent souvent, et ce qui aide",
  wrongHead: ["Ils disent", "En fait", "À voir"],
  wrongList: [
    ["« L’attention attire les mots les uns vers les autres. »", "Un message va où V l’envoie ; même au loin.", "Étape 4 : glissez océan."],
    ["« La requête, c’est comme la clé : les mots semblables s’entendent. »", "Un mot peut chercher une chose et être trouvé par une autre.", "Étape 6 : K = Q."],
    ["« Le réseau lit de gauche à droite. »", "Tous les mots sont entendus à la fois ; l’ordre est une marque sur chacun.", "Étape 7 : sans codes."],
    ["« Une grande part veut dire important. »", "Une part ne compte que par son message ; un message court bouge peu, même avec une grande part.", "Étape 5 : la flèche à côté du nombre."],
    ["« Il comprend comme nous. »", "Ici les lieux ont été posés à la main ; les lieux appris sont ce qui a fait baisser une erreur.", "Étape 12, et là où l’image casse."],
  ],
  sheet: "Fiche des élèves",
  name: "Noms",
  stop: (k, title) => `${k}. ${title}`,
  doThis: "Faites",
  ask: "Prédisez",
  why: "Pourquoi ? Qu’avez-vous vu ?",
  own: "Une phrase à nous qui tourne mal, et pourquoi",
  key: "Réponses, pour les enseignants",
  goal: "But",
  answer: "Réponse",
  breaks: "Là où l’image casse",
  link: (k) => `#v=1&view=story&stop=${k}`,
  open: (k) => `Ouvrir l’étape ${k}`,
  source:
    "Murmuration, le Récit. Toutes les scènes tournent dans le navigateur, hors ligne après la première visite ; un lien vers une étape " +
    "garde ce qui a été réglé.",
};
