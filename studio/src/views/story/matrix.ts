// matrix.ts: small matrices of the Story, as numbers and as parameters of the core.

export type Matrix = readonly (readonly number[])[];

/** "matrix:1,0;0.7,-0.4": rows between semicolons. */
export function matrixWord(rows: Matrix): string {
  return `matrix:${rows.map((row) => row.join()).join(";")}`;
}

/** (rows): the matrix times x. */
export function times(rows: Matrix, x: ArrayLike<number>): number[] {
  return rows.map((row) => row.reduce((sum, entry, c) => sum + entry * x[c], 0));
}
