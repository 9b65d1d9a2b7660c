// lexicon.ts: Worte vom Wasser, Worte vom Geld und kleine Worte: wo die Worte eines getippten Satzes beginnen.
import type { lexicon as english } from "../lexicon";
import type { Translation } from "../translation";

export const lexicon: Translation<typeof english> = {
  water:
    "fluss flüsse wasser see seen meer meere ozean bach bäche strom teich regen regnet regnete flut fluten hochwasser schlamm " +
    "schlammig nass schwimmen schwimmt schwamm fisch fische fischen fischte fischer angler angeln angelt boot boote schiff schiffe " +
    "segel segeln segelt ufer küste sand sandig strand welle wellen ebbe gezeiten kanu schilf otter ente enten frosch frösche fähre " +
    "brücke insel hafen delta nebel gischt sumpf stein steine kies wiese picknick untiefe versandet strömung",
  money:
    "geld bargeld münze münzen kredit kredite leihen leiht lieh verleiht borgen borgt borgte schulden schuld konto konten sparen spart " +
    "sparte zins zinsen rate raten zahlen zahlt zahlte bezahlt preis preise kosten kostet reich arm gold silber dollar euro euros pfund " +
    "tresor schalter kasse kassierer räuber markt laden läden kaufen kauft kaufte verkaufen verkauft rechnung schein scheine steuer " +
    "steuern lohn löhne büro filiale aktie aktien überweisung überweist",
  little:
    "der die das den dem des ein eine einen einem einer eines und oder aber denn so als wie ist sind war waren sein bin bist bei mit von " +
    "vom zu zum zur in im ins an am auf aus für über unter neben vor nach hinter zwischen durch um gegen ohne es er sie ich wir ihr du " +
    "mich mir dich dir uns euch ihn ihm ihnen mein meine dein deine seine ihre unser nicht kein keine sehr auch dann dort hier da noch nur " +
    "schon wieder wird werden wurde kann können will muss soll alle einige jeder jede beide man wenn weil dass ob sich hat haben hatte",
};
