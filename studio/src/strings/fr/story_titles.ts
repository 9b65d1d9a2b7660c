// story_titles.ts : les titres des étapes du récit, que toutes les vues nomment.
import type { storyTitles as english } from "../story_titles";
import type { Translation } from "../translation";

export const storyTitles: Translation<typeof english> = [
  "Chaque mot seul",
  "Un messager",
  "Tous vers le milieu",
  "Dire plus que « je suis là »",
  "Qui écouter ?",
  "Demander, montrer, dire",
  "Qui mord qui ?",
  "Écouter, penser, recommencer",
  "Un espace après l’autre",
  "Qui parle pour la nuée ?",
  "Quel mot vient ensuite ?",
  "Est-ce que ça tient ?",
];
