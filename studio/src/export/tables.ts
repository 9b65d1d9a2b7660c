// tables.ts: a film as files for other programs: observables as CSV, positions as npy.
import type { Film } from "../state/film";

/** One row a frame: t, then the observables the flight has; empty where one does not exist. */
export function csvOf(film: Film): string {
  const { columns, classes } = film.info;
  const head = ["t", ...columns, ...classes.map((name) => `chance_${name}`)];
  const rows = [head.join(",")];
  const cell = (value: number) => (Number.isFinite(value) ? String(value) : "");
  for (let k = film.first; k < film.flown.value; ++k) {
    const numbers = film.observables.subarray(k * columns.length, (k + 1) * columns.length);
    const chances = film.scores.subarray(k * classes.length, (k + 1) * classes.length);
    rows.push([film.times[k], ...numbers, ...chances].map(cell).join(","));
  }
  return `${rows.join("\n")}\n`;
}

/** NumPy's format 1.0 of a little-endian float32 array in C order. */
export function npyOf(values: Float32Array, shape: number[]): Uint8Array<ArrayBuffer> {
  const dims = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${dims}), }`;
  const room = Math.ceil((10 + text.length + 1) / 64) * 64;
  const out = new Uint8Array(room + values.byteLength);
  out.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0]);
  new DataView(out.buffer).setUint16(8, room - 10, true);
  out.set(new TextEncoder().encode(`${text.padEnd(room - 11)}\n`), 10);
  const data = new DataView(out.buffer, room);
  values.forEach((value, k) => data.setFloat32(4 * k, value, true));
  return out;
}

/** (frames, n, d) of the frames that are flown. */
export function trajectoryOf(film: Film): Uint8Array<ArrayBuffer> {
  const { n, d } = film.info;
  const count = film.flown.value - film.first;
  const values = film.positions.slice(film.first * n * d, film.flown.value * n * d);
  return npyOf(values, [count, n, d]);
}
