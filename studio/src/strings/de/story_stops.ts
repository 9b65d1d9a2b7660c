// story_stops.ts: die Worte der Stationen, von der ersten bis zum Prüfstand.
import type { StopText } from "../story_stops";
import { storyTitles } from ".";

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

const asking: StopText = {
  short: "Query, Key, Value",
  title: storyTitles[5],
  text: [
    "Wer passt zu wem? Jedes Wort fragt (seine Query, Q x), jedes trägt ein Schild (seinen Key, K x), jedes hat etwas zu sagen (seinen " +
      "Value, V x). Drei Matrizen, drei verschiedene Dinge.",
    "_Welpe_ fragt nach Größe und Farbe: sein Strahl fällt auf _kleine_ und _braune_. Sein eigenes Schild sagt nichts davon. Es sagt: " +
      "ich bin, wer hier etwas tut. Also findet _schläft_, das nach dem Wer fragt, den _Welpen_, und was es erfährt, ist weder Größe " +
      "noch Farbe, sondern: süß.",
  ],
  formula:
    "Je besser Query und Key passen, desto größer der Anteil a. Dann werden die Values addiert: so hat ein Transformer die Aufmerksamkeit.",
  question: "Setz K gleich Q. Was geht schief?",
  choices: [
    { text: "Nichts: nach einer Farbe fragen ist wie eine haben", answer: "Probier es. Wen hört _Welpe_ jetzt?" },
    {
      text: "Wörter finden die, die dasselbe fragen, nicht die, die antworten",
      answer:
        "_Welpe_ hört sich selbst, _schläft_ hört _kleine_ und _braune_, die dieselbe Frage stellen. Eine Partnerbörse, auf der alle " +
        "schreiben, was sie suchen, und niemand, wer er ist.",
    },
    { text: "Jedes hört jedes gleich", answer: "Die Anteile bleiben ungleich. Sie gehen an die falschen Wörter." },
  ],
  breaks:
    "Das Auge eines Vogels trifft, was vor ihm ist. Eine Query trifft jeden Key, der passt, und zwei Token müssen sich nicht einig sein: " +
    "_schläft_ hört _Welpe_, _Welpe_ hört _schläft_ nicht.",
  begin: "Fünf Wörter mit Schildern; der Strahl von Welpe fällt auf kleine und braune.",
  end: "Man weiß, wie Welpe aussieht, und schläft hat von etwas Süßem erfahren.",
  goal: "Query, Key und Value sind drei verschiedene Dinge: was ein Wort sucht, wie es gefunden wird, was es mitteilt.",
  task: "Lasst die fünf Wörter der Reihe nach zuhören und sagt laut: es fragt …, es zeigt …, es sagt …. Dann setzt K gleich Q.",
};

const order: StopText = {
  short: "Reihenfolge",
  title: storyTitles[6],
  text: [
    "Ein Schwarm hat keinen ersten Vogel. _Hund beißt Mann_ und _Mann beißt Hund_ sind dieselben drei Wörter, also sind sie derselbe " +
      "Schwarm: jedes Wort fliegt in beiden denselben Weg.",
    "Darum schreibt ein Transformer jedem Wort seinen Platz in der Reihe auf: hier, je früher, desto höher. _Beißt_ kommt in beiden " +
      "Sätzen als Zweites und beginnt am selben Ort. Es fragt, wer am höchsten steht.",
  ],
  formula: "Wo ein Wort beginnt: sein eigener Ort w, und ein Code p seiner Nummer k in der Reihe.",
  question: "Noch keine Codes. Du vertauschst _Hund_ und _Mann_. Wo endet _beißt_?",
  choices: [
    {
      text: "Am selben Ort wie zuvor",
      answer: "Bis aufs Runden genau: Aufmerksamkeit summiert über alle, in welcher Folge auch immer. Schreib die Codes auf.",
    },
    { text: "Auf der anderen Seite", answer: "Nur mit Codes. Ohne sie weiß niemand, wer zuerst kam." },
    { text: "Irgendwo dazwischen", answer: "Dazu brauchte es eine Marke der Reihenfolge, und es gibt keine." },
  ],
  breaks:
    "Vögel haben ihre Reihenfolge von Natur aus: einer fliegt voraus. Token haben sie nur, wenn man sie ihnen aufschreibt, oder wenn jedes " +
    "nur die vor ihm hört (Station 11). Viele heutige Modelle drehen Querys und Keys je nach Platz, statt einen Code " +
    "zu addieren.",
  begin: "Drei Wörter, in zwei Reihenfolgen zugleich geflogen: Scheiben für die eine, Ringe für die andere.",
  end: "Beide Flüge sind zu Ende; die Linien zeigen, wie weit dieselben Wörter auseinander sind.",
  goal: "Aufmerksamkeit kennt die Reihenfolge der Wörter nicht; ihre Plätze muss man ihnen aufschreiben.",
  task: "Fliegt beide Sätze ohne Codes, dann mit, und lest ab, wie weit beißt von sich selbst entfernt ist.",
};

const rounds: StopText = {
  short: "Schichten",
  title: storyTitles[7],
  text: [
    "Nach einer Schicht weiß ein Wort, was seine Auserwählten wussten. Nach zweien, was deren Auserwählte wussten. Hier ist jede Schicht " +
      "dieselbe: dieselben Q, K, V und dasselbe Denken, noch einmal geflogen.",
    "Wenn es zugehört hat, bildet sich jedes seine eigene Meinung, mit dem Willen der ersten Station: dem Feed-forward-Netz oder MLP. " +
      "Schichten sind Zeit. Wörter einer Art sammeln sich in Clustern, und _Bank_ lässt sich beim Fluss nieder; " +
      "das Denken trägt ganze Cluster weiter.",
  ],
  formula:
    "Ein Flügelschlag, eine Schicht: erst zuhören, dann denken. N ist die Layer-Norm: sie hält die Wörter auf der " +
    "Kugel.",
  question: "Entstünden die Cluster auch ohne MLP?",
  choices: [
    {
      text: "Ja",
      answer:
        "Schon das Zuhören sammelt; schalte das Denken aus und sieh. Das Denken entscheidet, wohin die Cluster gehen. Hört er ewig nur " +
        "zu, wird fast jeder solche Schwarm auf der Kugel zu einem einzigen Cluster (arXiv 2405.18273).",
    },
    { text: "Nein", answer: "Schalte das Denken aus und sieh: drei Cluster, _Bank_ bei den Wasserwörtern." },
  ],
  breaks:
    "Ein Vogel hat bei jedem Schlag denselben Instinkt, und dieser Schwarm auch. Die meisten Transformer haben in jeder Schicht andere Q, K, V " +
    "und ein anderes MLP; manche teilen einen Satz unter allen, wie hier.",
  begin: "Zwölf Wörter auf einer Kugel hören zu und denken, im Wechsel.",
  end: "Die Wörter haben sich in Clustern gesammelt; Bank ist beim Fluss.",
  goal: "Schichten wiederholen zwei Schritte: anderen zuhören, dann allein denken. Schichten sind Zeit.",
  task:
    "Geht mit › weiter und zählt die Schichten, bis Bank bei den Wasserwörtern ist. Schaltet das Denken aus. Zieht Bank auf die Seite des Geldes.",
};

const levels: StopText = {
  short: "Ebenen",
  title: storyTitles[8],
  text: [
    "_Kalte Füße vor der Hochzeit._ Um Zehen geht es nicht. Bedeutung hat Ebenen, und jede Ebene ist ein eigener Raum, in dem " +
      "dieselben Wörter an anderen Orten stehen.",
    "Im ersten Raum finden Wörter heraus, wer zusammengehört. Im zweiten, was die Wendung heißt: _Füße_ hört _kalte_ und verlässt den " +
      "Körper für die Gefühle. Im dritten, was der Satz sagt: _Hochzeit_ hört _Füße_ und ist im Zweifel. Jeder Raum " +
      "beginnt, wo der letzte endete.",
  ],
  formula:
    "Schicht ℓ hat ein eigenes Q, K und V; sie liest, was die Schichten darunter geschrieben haben, und schreibt entlang einer anderen " +
    "Richtung. (In den ersten zwei Räumen ist die Botschaft V eines Unterschieds von Orten, wie an Station 4.)",
  question: "Lass den zweiten Raum weg. Was wird aus _Hochzeit_?",
  choices: [
    { text: "Dasselbe: es hört _kalte_ und _Füße_ ohnehin", answer: "Es hört Wörter. Dass die zwei Angst bedeuten, sagt keines von beiden." },
    {
      text: "Es verlässt die sichere Seite kaum",
      answer: "Im dritten Raum fragt es nach Dingen, die ein Gefühl tragen. Ohne den zweiten sind _Füße_ Füße.",
    },
    { text: "Es geht in die andere Richtung", answer: "Niemand sagt etwas dergleichen. Probier es." },
  ],
  breaks:
    "Ein Vogel bleibt an einem Himmel. Auch Token eines Transformers bleiben in einem Raum, aber einem mit Hunderten von Dimensionen, und " +
    "jede Schicht liest und schreibt entlang weniger davon: die Räume hier sind Ansichten davon. Dass die Schichten echter Modelle so " +
    "sauber sortieren wie diese drei, ist ein Bild; was man in ihnen findet, ist gemischter.",
  begin: "Fünf Wörter im ersten von drei Räumen: kalte Füße vor der Hochzeit.",
  end: "Im dritten Raum steht die Hochzeit auf der Seite des Zweifels.",
  goal: "Tiefere Schichten bauen auf dem auf, was frühere herausgefunden haben: Wörter, dann Wendungen, dann der Satz.",
  task: "Verfolgt Hochzeit durch die drei kleinen Bilder. Lasst den zweiten Raum weg und vergleicht, wo es endet.",
};

const speaker: StopText = {
  short: "Sprecher",
  title: storyTitles[9],
  text: [
    "Der Schwarm hat geredet. Gebraucht wird eine Antwort. Wir können den Mittelwert aller Orte nehmen, eine Abstimmung: das Kreuz.",
    "Oder wir fügen ein Wort ohne eigene Bedeutung hinzu, CLS, das mithört, und lesen es allein: der Ring. " +
      "Lass einen Gast dazukommen, _Kredit_, und vergleich beide mit dem, wo sie gewesen wären (blass).",
  ],
  formula: "Der Mittelwert zählt jedes Token einmal; CLS zählt die, denen es zugehört hat.",
  question: "Ein Gast unter hundert Token. Wie weit bewegt er den Mittelwert?",
  choices: [
    {
      text: "Etwa ein Hundertstel der Breite des Schwarms",
      answer:
        "Eine Stimme unter 101. An trainierten Schwärmen gemessen: 0,0126 der Streuung, kein Urteil von 300 gekippt. CLS bewegte sich " +
        "weniger, 0,0035, und doch kippten 3. Nach diesen Zahlen ist keines das stabilere.",
    },
    { text: "So weit er will", answer: "Allein nicht: der Mittelwert gibt jedem Token eine Stimme." },
    { text: "Gar nicht", answer: "Ein wenig: eine Stimme unter 101." },
  ],
  breaks:
    "Kein Schwarm hat einen Vogel, der für alle steht. CLS ist für den Zweck erfunden, und die anderen können ihm ebenfalls " +
    "zuhören.",
  begin: "Sieben Wörter und CLS rücken zusammen.",
  end: "Der Schwarm ist zur Ruhe gekommen; das Kreuz markiert den Mittelwert, der Ring CLS.",
  goal: "Eine Antwort wird am Schwarm abgelesen: am Mittelwert aller oder an einem Token, das zum Zuhören da ist.",
  task: "Lasst den Gast zu einem engen und zu einem weiten Schwarm kommen und vergleicht in der Tabelle, was er mehr bewegt: Mittel oder CLS.",
};

const next: StopText = {
  short: "Nächstes Wort",
  title: storyTitles[10],
  text: [
    "Nun hört jedes Wort sich selbst und die vor ihm. Das letzte fliegt mit dem, was es gehört hat, und wo es ist, " +
      "sagt, was als Nächstes kommen kann.",
    "Auch jedes Wort des Vokabulars hat einen Ort: die kleinen Punkte. Je näher das letzte Wort einem davon ist, desto " +
      "wahrscheinlicher ist es. Sieh den Balken zu, während es fliegt.",
  ],
  formula: "x ist der Ort des letzten Worts, w ein Wort, das kommen kann, κ, wie scharf nah mehr zählt als fern.",
  question: "Während das letzte Wort fliegt, was geschieht mit der Zahl der Wörter, die kommen können?",
  choices: [
    {
      text: "Sie fällt",
      answer: "Zuerst ist es nahe an nichts Bestimmtem; was es hört, engt die Wahl ein. Die Entropie zählt es.",
    },
    { text: "Sie steigt", answer: "Das täte sie, wenn es zur Mitte aller zurückflöge. Dreh κ herunter, und du siehst dasselbe." },
    { text: "Sie bleibt", answer: "Nur bei κ = 0, wo alle Wörter gleich sind." },
  ],
  breaks:
    "Ein Vogel sagt nicht, wo der nächste Vogel sein wird. Diese Orte sind von Hand gesetzt; ein Sprachmodell lernt Zehntausende " +
    "davon, in Hunderten von Dimensionen.",
  begin: "Fünf Wörter auf einer Kugel; acht andere stehen um sie und warten.",
  end: "Das letzte Wort ist denen nahe gekommen, die ihm folgen können.",
  goal: "Ein Sprachmodell macht aus dem Ort des letzten Tokens Chancen für jedes Wort, das folgen kann.",
  task: "Wechselt den Satz, dann κ. Bei welchem κ ist ein Wort fast sicher, bei welchem sind alle gleich?",
};

const tested: StopText = {
  short: "Geprüft",
  title: storyTitles[11],
  text: [
    "Alle Szenen bisher waren von Hand gesetzt. Verlassen wir also die Wörter, und trainieren. Hier ist Handschrift: zwei Ziffern, jede " +
      "eine Fünf oder eine Sechs. Jeder Punkt Tinte ist ein Token. Die Frage: sind die zwei Ziffern gleich?",
    "Der eine Leser hört zu, wie an Station 6; seine Token hören beide Bilder. Der andere wurde gleich lang trainiert, mit ebenso vielen " +
      "Zahlen, aber jedes Token hört niemanden, wie an Station 1. Gelesen wird der Mittelwert aller Token (das Kreuz), und die Kugel ist das Votum: " +
      "auf halbem Weg ist es unentschieden, in einem Tor sicher. Unten: was Leser mit den Mitteln jeder Station erreicht haben.",
  ],
  formula: "Das Urteil: das Tor g, das dem Mittelwert aller Token am nächsten ist; zu ihm hin liegt er am weitesten.",
  question: "Von vier Paaren (5 5, 5 6, 6 5, 6 6), wie viele kann ein Leser, dessen Token niemanden hören, höchstens richtig haben?",
  choices: [
    { text: "Zwei", answer: "Eines mehr ist möglich: eine Summe von Stimmen, die bei 5 5 „gleich“ und bei den anderen dreien „verschieden“ sagt, hat drei von vieren richtig." },
    {
      text: "Drei",
      answer:
        "Token, die niemanden hören, zählen nur Stimmen zusammen, Bild für Bild, und keine Summe von Stimmen sagt „gleich“ bei 5 5 und 6 6 und „verschieden“ " +
        "bei den anderen zwei: ein exklusives Oder. Eines von vieren ist immer falsch, wie lang auch trainiert wird. In der Tabelle steht " +
        "höchstens 75.",
    },
    { text: "Vier", answer: "Stimmen zusammenzuzählen reicht dafür nicht. Frag ihn nach den vier Paaren: die Tabelle wird jetzt geflogen." },
  ],
  breaks:
    "Vögel lesen nicht. Diese Leser sind klein: Token in drei Dimensionen, zehn Schichten, ein Kopf. Sie zeigen, wozu man Zuhören braucht, " +
    "nicht, wie gut ein großes Modell liest.",
  begin: "Zwei handgeschriebene Ziffern, jeder Punkt Tinte ein Token.",
  end: "Der Mittelwert des Schwarms ist gelesen, und das Votum ist in seinem Tor angekommen.",
  goal: "Trainierte Leser bestätigen es: manche Aufgaben können Token allein nicht lösen, Token, die zuhören, schon.",
  task: "Ratet, bevor ihr hinseht: zeigt im Diagramm einen Leser nach dem anderen, und fragt beide Leser nach allen vier Paaren.",
};

export const laterStops: StopText[] = [asking, order, rounds, levels, speaker, next, tested];
