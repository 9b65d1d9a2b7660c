// mean_attention.ts: the attention of a token, as the mean over its heads.
import type { Gaze } from "../core/protocol";

/** How loudly a boid hears each other: the mean over the heads, (n). */
export function meanAttention(gaze: Pick<Gaze, "weights" | "heads">): Float64Array {
  const n = gaze.weights.length / Math.max(1, gaze.heads);
  const out = new Float64Array(n);
  for (let h = 0; h < gaze.heads; ++h) for (let j = 0; j < n; ++j) out[j] += gaze.weights[h * n + j] / gaze.heads;
  return out;
}
