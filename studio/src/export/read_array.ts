// read_array.ts: reads an npy file of any shape, as NumPy and murmur write it.
import { files as words } from "../strings/export";
import { PointsError, readHead } from "./read_points";

export interface Numbers {
  shape: number[];
  values: Float32Array | Float64Array; // C order
}

/** Little-endian f4 or f8 in C order; with `most`, no more numbers than that, and the rest may be missing. */
export function readNumbers(buffer: ArrayBuffer, where: string, most = Infinity): Numbers {
  const head = readHead(new Uint8Array(buffer), where);
  const size = { f4: 4, f8: 8 }[head.kind];
  if (!size || !head.little || head.fortran) {
    throw new PointsError(words.kind(head.kind), words.kindRemedy, where);
  }
  const count = Math.min(most, head.shape.reduce((product, side) => product * side, 1));
  const has = Math.floor((buffer.byteLength - head.data) / size);
  if (has < count) throw new PointsError(words.numbers(has, count), words.saveAgain, where);
  const bytes = buffer.slice(head.data, head.data + count * size);
  return { shape: head.shape, values: size === 4 ? new Float32Array(bytes) : new Float64Array(bytes) };
}
