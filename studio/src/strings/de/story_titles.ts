// story_titles.ts: die Titel der Stationen, die alle Ansichten nennen.
import type { storyTitles as english } from "../story_titles";
import type { Translation } from "../translation";

export const storyTitles: Translation<typeof english> = [
  "Jedes Wort für sich",
  "Ein Bote",
  "Alle zur Mitte",
  "Mehr sagen als „hier bin ich“",
  "Wem zuhören?",
  "Fragen, zeigen, sagen",
  "Wer beißt wen?",
  "Zuhören, denken, von vorn",
  "Ein Raum nach dem anderen",
  "Wer spricht für den Schwarm?",
  "Welches Wort kommt jetzt?",
  "Hält es stand?",
];
