// export.ts : les mots sur les fichiers lus et écrits.
import type { files as english } from "../export";
import type { Translation } from "../translation";

export const files: Translation<typeof english> = {
  npySave: "enregistrez-le par numpy.save(fichier, tableau)",
  notNpy: "pas un fichier npy : ses premiers octets ne sont pas ceux de NumPy",
  npyCut: "le fichier npy finit au milieu de son en-tête",
  npyHeader: "l’en-tête npy est illisible",
  kind: (kind) => `les nombres du fichier npy sont de type ${kind}`,
  kindRemedy: "enregistrez-le en float64",
  shape: (shape) => `le fichier npy a la forme (${shape.join(", ")})`,
  shapeRemedy: "donnez un tableau (n, 2) ou (n, 3)",
  bytes: (needs, has) => `le fichier npy devrait avoir ${needs} octets de nombres et en a ${has}`,
  numbers: (has, needs) => `le fichier npy a ${has} nombres sur ${needs}`,
  saveAgain: "enregistrez-le de nouveau",
  notNumber: (line, text) => `la ligne ${line} a '${text}' là où il faut un nombre`,
  notNumberRemedy: "donnez deux ou trois nombres par ligne",
  ragged: (line, has, others) => `la ligne ${line} a ${has} nombres, celles d’avant en ont ${others}`,
  raggedRemedy: "donnez autant de nombres à chaque ligne",
  none: "le fichier n’a aucun lieu",
  noneRemedy: "donnez un lieu par ligne",
  coordinates: (d) => `les lieux ont ${d} coordonnées`,
  coordinatesRemedy: (dimensions) => `donnez un tableau ${dimensions.map((d) => `(n, ${d})`).join(" ou ")}`,
  tooMany: (n) => `le fichier a ${n} lieux`,
  tooManyRemedy: (most) => `donnez-en ${most} au plus`,
  notFinite: (place) => `le lieu ${place} n’est pas fini`,
  notFiniteRemedy: "enlevez-le ou corrigez-le",
  notPng: "pas un PNG",
};
