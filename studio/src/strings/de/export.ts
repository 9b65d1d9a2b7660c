// export.ts: die Worte über Dateien, die gelesen und geschrieben werden.
import type { files as english } from "../export";
import type { Translation } from "../translation";

export const files: Translation<typeof english> = {
  npySave: "speichere sie mit numpy.save(datei, array)",
  notNpy: "keine npy-Datei: ihre ersten Bytes sind nicht die von NumPy",
  npyCut: "die npy-Datei endet mitten in ihrem Kopf",
  npyHeader: "der Kopf der npy-Datei ist nicht lesbar",
  kind: (kind) => `die Zahlen der npy-Datei sind von der Art ${kind}`,
  kindRemedy: "speichere sie als float64",
  shape: (shape) => `die npy-Datei hat die Form (${shape.join(", ")})`,
  shapeRemedy: "gib ein Feld (n, 2) oder (n, 3)",
  bytes: (needs, has) => `die npy-Datei sollte ${needs} Bytes an Zahlen haben und hat ${has}`,
  numbers: (has, needs) => `die npy-Datei hat ${has} von ${needs} Zahlen`,
  saveAgain: "speichere sie noch einmal",
  notNumber: (line, text) => `in Zeile ${line} steht '${text}', wo eine Zahl hingehört`,
  notNumberRemedy: "gib zwei oder drei Zahlen je Zeile",
  ragged: (line, has, others) => `Zeile ${line} hat ${has} Zahlen, die davor haben ${others}`,
  raggedRemedy: "gib in jeder Zeile gleich viele Zahlen",
  none: "in der Datei stehen keine Orte",
  noneRemedy: "gib einen Ort je Zeile",
  coordinates: (d) => `die Orte haben ${d} Koordinaten`,
  coordinatesRemedy: (dimensions) => `gib ein Feld ${dimensions.map((d) => `(n, ${d})`).join(" oder ")}`,
  tooMany: (n) => `in der Datei stehen ${n} Orte`,
  tooManyRemedy: (most) => `gib höchstens ${most}`,
  notFinite: (place) => `der Ort ${place} ist nicht endlich`,
  notFiniteRemedy: "entferne oder berichtige ihn",
  notPng: "kein PNG",
};
