// export.ts: the words about files that are read and written.
export const files = {
  npySave: "save it by numpy.save(file, array)",
  notNpy: "not an npy file: its first bytes are not NumPy's",
  npyCut: "the npy file ends inside its header",
  npyHeader: "the npy header cannot be read",
  kind: (kind: string) => `the numbers of the npy file are of kind ${kind}`,
  kindRemedy: "save it as float64",
  shape: (shape: readonly number[]) => `the npy file has shape (${shape.join(", ")})`,
  shapeRemedy: "give an array (n, 2) or (n, 3)",
  bytes: (needs: number, has: number) => `the npy file should have ${needs} bytes of numbers and has ${has}`,
  numbers: (has: number, needs: number) => `the npy file has ${has} of ${needs} numbers`,
  saveAgain: "save it again",
  notNumber: (line: number, text: string) => `line ${line} has '${text}' where a number belongs`,
  notNumberRemedy: "give two or three numbers a line",
  ragged: (line: number, has: number, others: number) =>
    `line ${line} has ${has} numbers, those before have ${others}`,
  raggedRemedy: "give every line as many numbers",
  none: "the file has no places",
  noneRemedy: "give one place a line",
  coordinates: (d: number) => `the places have ${d} coordinates`,
  coordinatesRemedy: (dimensions: readonly number[]) =>
    `give an array ${dimensions.map((d) => `(n, ${d})`).join(" or ")}`,
  tooMany: (n: number) => `the file has ${n} places`,
  tooManyRemedy: (most: number) => `give ${most} at most`,
  notFinite: (place: number) => `place ${place} is not finite`,
  notFiniteRemedy: "remove or mend it",
  notPng: "not a PNG",
} as const;
