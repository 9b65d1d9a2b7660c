// lexicon.ts : mots de l’eau, mots de l’argent et petits mots : où commencent les mots d’une phrase tapée.
import type { lexicon as english } from "../lexicon";
import type { Translation } from "../translation";

export const lexicon: Translation<typeof english> = {
  water:
    "rivière rivières fleuve eau eaux lac lacs mer mers océan ruisseau ruisseaux étang pluie pleut crue crues inonde inondation boue " +
    "boueux boueuse mouillé mouillée nager nage nagent poisson poissons pêche pêcher pêcheur bateau bateaux navire voile voiles rive " +
    "rives sable plage vague vagues marée marées canoë roseau roseaux loutre loutres canard canards grenouille bac pont île port delta " +
    "brume écume marais pierre pierres coule coulent coulait source cascade verse bu boire boit buvait gouttes goutte bouteille verre",
  money:
    "argent monnaie pièce pièces prêt prêts prête prêter emprunte emprunter dette dettes crédit chèque compte comptes épargne taux intérêt " +
    "intérêts paie payer paye payé prix coût coûte riche pauvre or dollar dollars euro euros livre livres coffre guichet caisse caissier " +
    "voleur voleurs marché magasin boutique achète acheter vend vendre facture billet billets budget impôt impôts salaire bureau banque " +
    "banquier bourse retire retrait",
  little:
    "le la les l un une des de du d à au aux en dans sur sous par pour avec sans et ou mais donc car si comme est sont était étaient être suis " +
    "il elle ils elles je tu nous vous on me te se m t s mon ma mes ton ta tes son sa ses notre votre leur leurs ce cet cette ces qui que qu " +
    "quoi dont où ne n pas plus très aussi puis alors ici là y encore tout toute tous toutes chaque quand avant après près entre vers chez " +
    "peut doit va fait a ai as ont avait",
};
