// story_stops.ts: die Worte der Stationen eins bis fünf: vom einzelnen Wort bis dahin, wem es zuhört.
import type { StopText } from "../story_stops";
import { storyTitles } from "./story_titles";

const alone: StopText = {
  short: "Allein",
  title: storyTitles[0],
  text: [
    "Ein Satz kommt als eine Menge von Wörtern herein. Ein Transformer nennt sie Token; denk an Vögel. Zuerst " +
      "redet niemand.",
    "Jedes Wort fliegt nach eigenem Willen: wohin, das hängt davon ab, wo es ist, und von nichts sonst. Achte auf die zwei Vögel " +
      "namens _Bank_. Die eine liegt als Sandbank im Fluss, die andere verleiht Geld. Beide schreibt man gleich, also beginnen " +
      "beide am selben Ort.",
  ],
  formula: "Der nächste Ort eines Worts: sein Ort, und ein eigener Schritt f. Für jedes Wort dasselbe f.",
  question: "Wann trennen sich die zwei Bänke?",
  choices: [
    { text: "Nach ein paar Flügelschlägen", answer: "Warte, so lange du willst: die Vögel mit dem Ring bleiben an einem Ort." },
    {
      text: "Nie",
      answer: "Gleicher Ort, gleiche Regel, gleicher Weg. Ein Wort, das niemanden hört, kann nicht wissen, welche Bank es ist.",
    },
    {
      text: "Das kommt auf die anderen Wörter an",
      answer: "Hier hört niemand jemanden: der Weg eines Worts hängt nur von seinem eigenen Ort ab.",
    },
  ],
  breaks:
    "Vögel schlüpfen getrennt und sind nie ganz gleich. Zwei Token desselben Worts beginnen bis aufs letzte Bit gleich, bis ihnen " +
    "jemand sagt, wo im Satz sie stehen (Station 7).",
  begin: "Sieben Wörter, jedes fliegt allein; zwei davon heißen beide Bank.",
  end: "Alle Wörter sind ihre eigenen Wege geflogen; die zwei Bänke sind dort, wo eine Bank ist.",
  goal: "Ein Wort, das niemanden hört, kann nicht wissen, welche seiner Bedeutungen gemeint ist.",
  task: "Lasst es laufen. Dann schiebt die zwei Bänke um ein Haar auseinander, oder zieht eine davon: erst jetzt trennen sich ihre Wege.",
};

const messenger: StopText = {
  short: "Bote",
  title: storyTitles[1],
  text: [
    "Nun schick einen Boten von Wort zu Wort, mit einer einzigen Seite zum Schreiben. Bei jedem Wort schreibt er die Seite um: " +
      "ein wenig vom Alten, ein wenig vom Neuen. Das ist ein rekurrentes Netz.",
    "Das letzte Wort ist _Bank_. Das Wort, das es erklärt, _Fluss_, kam zuerst. Die Balken sind an einem trainierten Boten gemessen: " +
      "wie sehr jedes Zehntel einer Reihe sein Urteil noch bewegt, wenn der Weg zu Ende ist.",
  ],
  formula: "h ist die Seite; p ist das eben besuchte Wort; die Matrizen W sind gelernt.",
  question: "Bring dieselben Wörter in eine andere Folge. Von 100 Urteilen des trainierten Boten, wie viele ändern sich?",
  choices: [
    {
      text: "Keines",
      answer: "Das ist die Zahl des Schwarms. Der Bote braucht eine Reihe und hat an Reihen in einer Folge gelernt.",
    },
    { text: "Etwa 4", answer: "Weit mehr: die Seite merkt sich, wer zuletzt kam." },
    {
      text: "Etwa 44",
      answer:
        "43,8 von 100. Bei einem Schwarm, der zuhört wie an Station 6: keines von 1850. Beide haben für dieselbe Aufgabe gelernt.",
    },
  ],
  breaks:
    "Kein Schwarm hat einen Boten: Vögel hören ihre Nachbarn alle zugleich. Und eine Seite ist ein schlechtes Gedächtnis: das erste " +
    "Zehntel einer Reihe zählt 0,00015 dessen, was das letzte zählt. Spätere rekurrente Netze (LSTM und andere) behalten " +
    "mehr als dieses einfache.",
  begin: "Zehn Wörter stehen in einer Reihe. Ein Bote geht vom ersten zum letzten.",
  end: "Der Bote ist beim letzten Wort angekommen; die ersten zählen kaum noch.",
  goal: "Eine Zusammenfassung, die eine Reihe entlanggereicht wird, vergisst das Frühe und hängt von der Folge der Reihe ab.",
  task: "Mischt die Reihe. Die Wörter wechseln ihre Plätze, die Balken nicht: gehört wird, wer zuletzt kommt.",
};

const attraction: StopText = {
  short: "Anziehung",
  title: storyTitles[2],
  text: [
    "Nun hört jedes jedes, alle zugleich, ohne Reihenfolge. Das Einfachste, was man mit dem Gehörten tun kann: zur Mitte " +
      "aller fliegen.",
    "Die Pfeile an _Bank_ sind, was es hört: einer von jedem Wort, jeder eine Botschaft mal ihren Anteil, und alle Anteile sind ein Siebtel. " +
      "_Die_ zählt so viel wie _Fluss_. Bald sind sich alle einig. Der Preis: was die Wörter unterschied, ist fort.",
  ],
  formula: "Jedes wird zu jedem anderen gezogen, alle mit demselben Anteil 1/n; s sagt, wie stark.",
  question: "Alle haben sich getroffen. Was weiß ihr Treffpunkt noch vom Satz?",
  choices: [
    {
      text: "Welche Bank gemeint war",
      answer: "Jedes Wort zog gleich stark, also kann der Treffpunkt nicht sagen, wer wichtig war.",
    },
    {
      text: "Nur, wo am Anfang die Mitte war",
      answer:
        "Die Mitte bewegt sich nie; jeder Unterschied zu ihr schrumpft gleich schnell. Zwei Sätze mit derselben Mitte " +
        "enden gleich.",
    },
    { text: "Gar nichts", answer: "Fast: ein Ort bleibt übrig, die Mitte dessen, wo alle begannen." },
  ],
  breaks:
    "Vögel, die sich nähern, halten eine Flügelbreite Abstand. Token haben keine Breite: sie können alle an einem Ort sitzen. Und das " +
    "ist noch keine Aufmerksamkeit. Aufmerksamkeit wird oft als Anziehung gemalt; die nächsten Stationen sagen, warum sie mehr ist.",
  begin: "Sieben Wörter werden zur Mitte aller gezogen.",
  end: "Alle Wörter haben sich an einem Ort getroffen; nichts unterscheidet sie mehr.",
  goal: "Bloßes Mitteln macht alle Wörter gleich: Einigkeit ohne Verstehen.",
  task: "Zieht ein Wort weit hinaus und seht, wie der Treffpunkt um ein Siebtel folgt. Dreht den Zug auf 0.",
};

const messages: StopText = {
  short: "Botschaften",
  title: storyTitles[3],
  text: [
    "Ein Nagel: am Finger, oder im Schiff? Stell ihn zu _Ozean_, _leckt_ und _Notfall_, und niemand denkt an einen " +
      "Finger.",
    "Sieh die Pfeile an _Nagel_ an: keiner zeigt auf seinen Sprecher. Ein Wort zieht andere nicht dorthin, wo es steht. Es schickt " +
      "eine Botschaft, gemacht von einer Matrix V. Dieses V sagt: komm herüber zum Schiff, und beeil dich. Was sich in der Eile " +
      "unterscheidet, treibt es weiter auseinander, _Ozean_ nach unten und _Notfall_ nach oben.",
  ],
  formula:
    "V macht aus einem Unterschied von Orten eine Botschaft. (Ein Transformer schickt V x; hier ist es so erzählt, wie der Hörer es " +
    "sieht, damit der Schwarm im Bild bleibt. Station 6 hat das Echte.)",
  question: "Zieht _Notfall_ den Nagel an, oder stößt es ihn ab?",
  choices: [
    { text: "Es zieht an", answer: "Nur in einer Richtung. Sieh V an: seine letzte Zahl ist negativ." },
    { text: "Es stößt ab", answer: "Nur in einer Richtung. Der Nagel kommt ja herüber." },
    {
      text: "Beides",
      answer:
        "Nach rechts zieht es; nach oben und unten treibt es auseinander, was sich unterscheidet. Mit V = 1 gibt es nur " +
        "Anziehung: probier es, und die Pfeile zeigen auf ihre Sprecher.",
    },
  ],
  breaks:
    "Ein Vogel kann nur zeigen, wo er ist und wohin er fliegt. Ein Token sagt etwas anderes als seinen Ort: V kann ihn strecken, " +
    "drehen oder umkehren.",
  begin: "Der Nagel steht abseits von Ozean, leckt und Notfall.",
  end: "Der Nagel ist auf die Seite des Schiffs gekommen; Ozean und Notfall haben sich getrennt.",
  goal: "Eine Botschaft (Value) ist kein Zug zum Sprecher: die Matrix V entscheidet, wohin sie zeigt.",
  task: "Vergleicht die Pfeile an Nagel bei „Komm näher“ und bei „Komm her, und schnell“. Zieht Ozean: welcher Pfeil ändert sich?",
};

const listening: StopText = {
  short: "Zuhören",
  title: storyTitles[4],
  text: [
    "Nicht jede Stimme zählt für jedes Ohr. Für _Bank_ sagt _die_ nichts und _Fluss_ alles.",
    "Also gibt jedes Wort jedem anderen einen Anteil seiner Aufmerksamkeit; die Anteile ergeben zusammen eins. Hier hören Wörter, die " +
      "viel sagen, auf Wörter, die viel sagen, und was diese erzählen, ist ihr Thema, Wasser oder Geld. Jeder Pfeil ist eine Botschaft, " +
      "mal ihren Anteil. Wechsle den Satz: dieselbe _Bank_, vom selben Anfang, fliegt in die andere Richtung. Oder tipp " +
      "deinen eigenen.",
  ],
  formula:
    "a ist der Anteil der Aufmerksamkeit, β die Schärfe des Ohrs, V das Erzählte. Q und K entscheiden, wer zu wem passt: nächste Station.",
  question: "Dreh β auf 0. Was bleibt?",
  choices: [
    {
      text: "Station 3: jedes hört jedes gleich",
      answer:
        "Alle Anteile sind wieder 1/n, und alle Themen treffen sich in der Mitte: _Bank_ ist weder nass noch reich. Das Auswählen " +
        "macht β scharf.",
    },
    {
      text: "Niemand hört zu, niemand bewegt sich",
      answer: "Die Anteile ergeben zusammen eins: bei β = 0 hört jedes jedem gleich zu.",
    },
    { text: "Nur _Bank_ bewegt sich noch", answer: "Für alle Wörter gilt dieselbe Regel. Probier es." },
  ],
  breaks:
    "Ein Star achtet auf die sechs oder sieben Vögel neben ihm. Ein Token hört durch den ganzen Satz, auf jeden, der passt, " +
    "wie weit er auch weg ist.",
  begin: "Bank horcht nach Wörtern, die viel sagen.",
  end: "Bank hat das Thema der Wörter angenommen, denen es zuhört.",
  goal: "Aufmerksamkeit gibt jedem Sprecher einen Anteil; die Anteile ergeben eins; β sagt, wie ungleich sie sind.",
  task: "Tippt einen Satz, in dem Bank vorkommt. Zieht Wörter, die die Seite nicht kennt, dorthin, wo ihr sie hinsetzen würdet.",
};

export const firstStops: StopText[] = [alone, messenger, attraction, messages, listening];
