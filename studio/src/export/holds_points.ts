// holds_points.ts: whether a file's name says that it holds points, known before the reader of such files is fetched.

/** Whether a file's name says that it holds places. */
export function holdsPoints(name: string): boolean {
  return /\.(npy|csv|tsv|txt)$/i.test(name);
}
