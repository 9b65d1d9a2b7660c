// export.ts: texts about files that are read and written.
export const files = {
  npySave: "save it with numpy.save(file, array)",
  notNpy: "not an npy file: its first bytes are not NumPy's",
  npyCut: "the npy file ends inside its header",
  npyHeader: "the npy header cannot be read",
  kind: (kind: string) => `the numbers of the npy file have type ${kind}`,
  kindRemedy: "save it as float64",
  shape: (shape: readonly number[]) => `the npy file has shape (${shape.join(", ")})`,
  shapeRemedy: "give an array (n, 2) or (n, 3)",
  bytes: (needs: number, has: number) => `the npy file should have ${needs} bytes of numbers and has ${has}`,
  numbers: (has: number, needs: number) => `the npy file has ${has} of ${needs} numbers`,
  saveAgain: "save it again",
  notNumber: (line: number, text: string) => `line ${line} has '${text}' where a number belongs`,
  notNumberRemedy: "give two or three numbers per line",
  ragged: (line: number, has: number, others: number) =>
    `line ${line} has ${has} numbers, those before have ${others}`,
  raggedRemedy: "give all lines equally many numbers",
  none: "the file has no points",
  noneRemedy: "give one point per line",
  coordinates: (d: number) => `the points have ${d} coordinates`,
  coordinatesRemedy: (dimensions: readonly number[]) =>
    `give an array ${dimensions.map((d) => `(n, ${d})`).join(" or ")}`,
  tooMany: (n: number) => `the file has ${n} points`,
  tooManyRemedy: (most: number) => `give at most ${most}`,
  notFinite: (place: number) => `point ${place} is not finite`,
  notFiniteRemedy: "remove or correct it",
  notPng: "not a PNG",
} as const;
