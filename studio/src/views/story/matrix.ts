// matrix.ts: small matrices of the story, as numbers and as the core's words.

export type Matrix = readonly (readonly number[])[];

/** "matrix:1,0;0.7,-0.4": rows between semicolons. */
export function matrixWord(rows: Matrix): string {
  return `matrix:${rows.map((row) => row.join()).join(";")}`;
}

/** (rows): the matrix times x. */
export function times(rows: Matrix, x: ArrayLike<number>): number[] {
  return rows.map((row) => row.reduce((sum, entry, c) => sum + entry * x[c], 0));
}
