// lesson.ts: die Worte des Blatts für Lehrende: eine Stunde, Ziele, Irrtümer, Fragen und Antworten.
import type * as english from "../lesson";
import type { Translation } from "../translation";

export const lesson: Translation<typeof english.lesson> = {
  title: "Transformer als Schwärme: eine Unterrichtsstunde",
  lead:
    "Zwölf Stationen, jede mit einer lebendigen Szene, einem Gedanken, einer Frage. Programmieren muss man nicht können; ab Station 4 " +
    "hilft ein wenig Vektorrechnung. Ab 14 Jahren, oder mit den Formeln fürs erste Studienjahr.",
  print: "Drucken",
  back: "Zurück zur Geschichte",
  plan: "Eine Stunde von 45 Minuten",
  steps: [
    { time: "5 min", text: "Gemeinsam, Station 1. Stimmt über die Frage ab, bevor ihr sie abspielt." },
    { time: "15 min", text: "Zu zweit, Stationen 3 bis 6. Jedes Paar füllt das Blatt aus; eine Person dreht an den Reglern, die andere sagt vorher." },
    { time: "10 min", text: "Gemeinsam: eigene Sätze an Station 5. Sammelt Sätze, die den Schwarm täuschen, und sagt, warum." },
    { time: "10 min", text: "Zu zweit eine der Stationen 7, 8, 9 oder 11, dann einem anderen Paar erklärt." },
    { time: "5 min", text: "Gemeinsam, Station 12: ratet den Balken jedes Lesers, bevor er gezeigt wird." },
  ],
  goals: "Nach der Stunde können Lernende",
  goalList: [
    "sagen, warum ein Wort allein seine Bedeutung nicht kennen kann, und was eine weitergereichte Zusammenfassung vergisst",
    "Query, Key und Value an einem eigenen Beispiel unterscheiden",
    "Anteile der Aufmerksamkeit ablesen und sagen, was β = 0 mit ihnen macht",
    "erklären, warum Aufmerksamkeit keine Anziehung ist, mit einem Pfeil, der nicht auf den Sprecher zeigt",
    "sagen, warum die Reihenfolge auf die Wörter geschrieben werden muss, und was eine Schicht ist",
    "eines nennen, das am Bild von den Vögeln nicht stimmt",
  ],
  wrong: "Was Lernende oft denken, und was hilft",
  wrongHead: ["Sie sagen", "Es ist so", "Zu sehen an"],
  wrongList: [
    ["„Aufmerksamkeit zieht Wörter zueinander.“", "Eine Botschaft zeigt dorthin, wohin V sie schickt; auch weg.", "Station 4: Ozean ziehen."],
    ["„Query ist wie Key: ähnliche Wörter hören einander.“", "Ein Wort kann das eine suchen und durch das andere gefunden werden.", "Station 6: K = Q."],
    ["„Das Netz liest von links nach rechts.“", "Alle Wörter werden zugleich gehört; die Reihenfolge ist eine Marke auf jedem.", "Station 7: ohne Codes."],
    ["„Ein hoher Anteil heißt wichtig.“", "Ein Anteil zählt nur durch seine Botschaft; eine kurze Botschaft bewegt wenig, wie groß der Anteil auch ist.", "Station 5: der Pfeil neben der Zahl."],
    ["„Es versteht wie wir.“", "Die Orte hier sind von Hand gesetzt; trainierte sind, was einen Fehler kleiner machte.", "Station 12, und wo das Bild nicht stimmt."],
  ],
  sheet: "Blatt für Lernende",
  name: "Namen",
  stop: (k, title) => `${k}. ${title}`,
  doThis: "Tut",
  ask: "Sagt vorher",
  why: "Warum? Was habt ihr gesehen?",
  own: "Ein eigener Satz, der schiefgeht, und warum",
  key: "Antworten, für Lehrende",
  goal: "Ziel",
  answer: "Antwort",
  breaks: "Wo das Bild nicht stimmt",
  link: (k) => `#v=1&view=story&stop=${k}`,
  open: (k) => `Station ${k} öffnen`,
  source:
    "Murmuration, die Geschichte. Alle Szenen laufen im Browser, nach dem ersten Besuch auch ohne Netz; ein Link zu einer Station " +
    "behält, was verstellt wurde.",
};
