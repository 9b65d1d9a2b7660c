// page_laws.mjs: the laws of the ten digits for the page's verdict "neither", from MNIST's training set alone.
//
//   node scripts/page_laws.mjs [MNIST]        data/mnist; writes studio/public/models/digit_laws.bin
//
// Little-endian float32 (10, mean 64 + precision 2080 + limit 1), as studio/src/views/digits/neither.ts reads them: of
// every digit the first, third, ... training picture makes the law, the others its limit.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const root = new URL("../", import.meta.url);
const mnist = process.argv[2] ?? new URL("data/mnist", root).pathname;
const kRidge = 0.5; // of the mean variance, added to every variance
const kKept = 0.99; // of a class's other training digits

const { createServer } = await import(createRequire(new URL("studio/", root)).resolve("vite"));
const server = await createServer({
  root: new URL("studio", root).pathname, configFile: false, logLevel: "error", server: { middlewareMode: true },
  optimizeDeps: { noDiscovery: true },
});
const { directionsOf, kFeatures, kLawNumbers, squaredDistance } = await server.ssrLoadModule("/src/views/digits/neither.ts");

/** The inverse of a symmetric positive definite matrix, by Gauss and Jordan. */
function inverse(matrix) {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let i = 0; i < n; ++i) {
    const pivot = rows[i][i];
    for (let j = 0; j < 2 * n; ++j) rows[i][j] /= pivot;
    for (let k = 0; k < n; ++k) {
      const by = rows[k][i];
      if (k === i || by === 0) continue;
      for (let j = 0; j < 2 * n; ++j) rows[k][j] -= by * rows[i][j];
    }
  }
  return rows.map((row) => row.slice(n));
}

/** Mean, packed precision and, from other pictures, limit. */
function lawOf(learned, kept) {
  const law = new Float32Array(kLawNumbers);
  const n = learned.length;
  const mean = Array.from({ length: kFeatures }, (_, a) => learned.reduce((sum, f) => sum + f[a], 0) / n);
  const covariance = mean.map((_, a) => mean.map((_, b) =>
    learned.reduce((sum, f) => sum + (f[a] - mean[a]) * (f[b] - mean[b]), 0) / (n - 1)));
  const ridge = (kRidge * covariance.reduce((sum, row, a) => sum + row[a], 0)) / kFeatures;
  covariance.forEach((row, a) => (row[a] += ridge));
  const precision = inverse(covariance);
  law.set([...mean, ...precision.flatMap((row, a) => row.slice(a))]);
  const far = kept.map((f) => squaredDistance(law, f)).sort((a, b) => a - b);
  law[kLawNumbers - 1] = far[Math.ceil(kKept * far.length) - 1];
  return law;
}

const images = readFileSync(`${mnist}/train-images-idx3-ubyte`).subarray(16);
const labels = readFileSync(`${mnist}/train-labels-idx1-ubyte`).subarray(8);
const features = Array.from({ length: 10 }, () => []);
labels.forEach((label, k) => {
  const pixels = new Uint8Array(images.subarray(784 * k, 784 * (k + 1)));
  features[label].push(directionsOf({ height: 28, width: 28, pixels }));
});
const laws = new Float32Array(10 * kLawNumbers);
features.forEach((all, digit) => {
  const law = lawOf(all.filter((_, k) => k % 2 === 0), all.filter((_, k) => k % 2 === 1));
  laws.set(law, digit * kLawNumbers);
  console.log(`${digit}: ${all.length} training digits, limit ${law[kLawNumbers - 1].toFixed(2)}`);
});
writeFileSync(new URL("studio/public/models/digit_laws.bin", root), new Uint8Array(laws.buffer));
await server.close();
