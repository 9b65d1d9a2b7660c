// without_attention.ts: a trained transformer without attention: the weights that bring attention into each layer are set to zero.

interface Tensor {
  data_offsets: [number, number];
}

/** A safetensors file with M and b_M of every layer 0: x + residual (M o + b_M) is x, all else stays as trained. */
export function withoutAttention(bytes: ArrayBuffer): ArrayBuffer {
  const copy = bytes.slice(0);
  const length = Number(new DataView(copy).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(copy, 8, length))) as Record<string, Tensor>;
  for (const [name, tensor] of Object.entries(header)) {
    if (!/^blocks\.\d+\.mix(_bias)?$/.test(name)) continue;
    const [from, to] = tensor.data_offsets;
    new Uint8Array(copy, 8 + length + from, to - from).fill(0);
  }
  return copy;
}
