// read_points.ts: reads points from a dropped file: npy as NumPy writes it, or csv.
import { files as words } from "../strings";

/** (n, d) in C order. */
export interface Points {
  rows: Float64Array;
  n: number;
  d: number;
}

export const kMostPoints = 2000;

/** A file that cannot be read as places: what is wrong, and what to do. */
export class PointsError extends Error {
  readonly fault = 2;
  readonly where: string;
  constructor(readonly what: string, readonly remedy: string, where: string) {
    super(what);
    this.where = where;
  }
}

type Reader = (view: DataView, at: number, little: boolean) => number;
const kKinds: Record<string, { size: number; read: Reader }> = {
  f4: { size: 4, read: (v, at, little) => v.getFloat32(at, little) },
  f8: { size: 8, read: (v, at, little) => v.getFloat64(at, little) },
  i1: { size: 1, read: (v, at) => v.getInt8(at) },
  u1: { size: 1, read: (v, at) => v.getUint8(at) },
  i2: { size: 2, read: (v, at, little) => v.getInt16(at, little) },
  u2: { size: 2, read: (v, at, little) => v.getUint16(at, little) },
  i4: { size: 4, read: (v, at, little) => v.getInt32(at, little) },
  u4: { size: 4, read: (v, at, little) => v.getUint32(at, little) },
  i8: { size: 8, read: (v, at, little) => Number(v.getBigInt64(at, little)) },
  u8: { size: 8, read: (v, at, little) => Number(v.getBigUint64(at, little)) },
};

export interface NpyHead {
  kind: string;
  little: boolean;
  fortran: boolean;
  shape: number[];
  data: number;
}

export function readHead(bytes: Uint8Array, where: string): NpyHead {
  const remedy = words.npySave;
  const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
  if (bytes.length < 12 || magic.some((m, k) => bytes[k] !== m)) {
    throw new PointsError(words.notNpy, remedy, where);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = bytes[6] >= 2;
  const opening = long ? 12 : 10;
  const data = opening + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  if (data > bytes.length) throw new PointsError(words.npyCut, remedy, where);
  const head = new TextDecoder("latin1").decode(bytes.subarray(opening, data));
  const descr = /'descr':\s*'([<>|=])?([a-z]\d+)'/.exec(head);
  const order = /'fortran_order':\s*(True|False)/.exec(head);
  const shape = /'shape':\s*\(([\d,\s]*)\)/.exec(head);
  if (!descr || !order || !shape) throw new PointsError(words.npyHeader, remedy, where);
  return {
    kind: descr[2],
    little: descr[1] !== ">",
    fortran: order[1] === "True",
    shape: shape[1].split(",").filter((part) => part.trim() !== "").map(Number),
    data,
  };
}

/** An npy file of shape (n, d) with real numbers of any width. */
export function parseNpy(bytes: Uint8Array, where = "npy"): Points {
  const head = readHead(bytes, where);
  const kind = kKinds[head.kind];
  if (!kind) throw new PointsError(words.kind(head.kind), words.kindRemedy, where);
  if (head.shape.length !== 2) throw new PointsError(words.shape(head.shape), words.shapeRemedy, where);
  const [n, d] = head.shape;
  const needs = n * d * kind.size;
  if (bytes.length - head.data !== needs) {
    const has = bytes.length - head.data;
    throw new PointsError(words.bytes(needs, has), words.saveAgain, where);
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset + head.data, needs);
  const rows = new Float64Array(n * d);
  for (let i = 0; i < n; ++i) {
    for (let c = 0; c < d; ++c) {
      rows[i * d + c] = kind.read(view, kind.size * (head.fortran ? c * n + i : i * d + c), head.little);
    }
  }
  return { rows, n, d };
}

/** Lines of numbers parted by commas, semicolons, tabs or blanks; names on top and # lines are let pass. */
export function parseCsv(text: string, where = "csv"): Points {
  const rows: number[] = [];
  let d = 0;
  let n = 0;
  text.split(/\r\n|\n|\r/).forEach((line, k) => {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) return;
    const cells = trimmed.split(/\s*[,;\t]\s*|\s+/);
    const numbers = cells.map((cell) => (cell === "" ? NaN : Number(cell)));
    if (numbers.some(Number.isNaN)) {
      if (n === 0 && numbers.every(Number.isNaN)) return; // names of the columns
      const bad = cells[numbers.findIndex(Number.isNaN)];
      throw new PointsError(words.notNumber(k + 1, bad), words.notNumberRemedy, where);
    }
    if (n > 0 && numbers.length !== d) {
      throw new PointsError(words.ragged(k + 1, numbers.length, d), words.raggedRemedy, where);
    }
    d = numbers.length;
    ++n;
    rows.push(...numbers);
  });
  return { rows: Float64Array.from(rows), n, d };
}

/** Refuses what cannot fly: no place, too many, another dimension, numbers that are not finite. */
export function checkPoints(points: Points, dimensions: readonly number[], where: string): Points {
  if (points.n === 0) throw new PointsError(words.none, words.noneRemedy, where);
  if (!dimensions.includes(points.d)) {
    throw new PointsError(words.coordinates(points.d), words.coordinatesRemedy(dimensions), where);
  }
  if (points.n > kMostPoints) {
    throw new PointsError(words.tooMany(points.n), words.tooManyRemedy(kMostPoints), where);
  }
  const bad = points.rows.findIndex((x) => !Number.isFinite(x));
  if (bad >= 0) {
    throw new PointsError(words.notFinite(Math.floor(bad / points.d)), words.notFiniteRemedy, where);
  }
  return points;
}

/** The places of a dropped file; throws a PointsError, which reads like a Fault of the core. */
export async function readPoints(file: File, dimensions: readonly number[] = [2, 3]): Promise<Points> {
  const points = /\.npy$/i.test(file.name)
    ? parseNpy(new Uint8Array(await file.arrayBuffer()), file.name)
    : parseCsv(await file.text(), file.name);
  return checkPoints(points, dimensions, file.name);
}
