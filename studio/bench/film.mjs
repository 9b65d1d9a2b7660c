// film.mjs: a film of the page beside what it cannot do without: drawing its pictures alone, and encoding them alone.
//
//     node bench/film.mjs [ROUNDS]        studio/src/core/wasm must be built
//
// Vite serves the page's own sources, so that all three use the page's code in the page itself, in turns: every picture
// of the film drawn, down to its pixels, and none encoded; the same pixels encoded as the film encodes them; the film.
// Seconds by the clock, and of the processor by all of the browser's processes.
import { createServer } from "vite";
import { chromium } from "playwright-core";
import { launchOptions, machine, median, processorSeconds } from "./browser.mjs";

const kHash = "#v=1&view=digits&digit=301&at=3";
const kPieces = ["drawing", "encoding", "film"];

/** In the page: `window.pieces` with the three, each a function that does its work once and tells what it made. */
async function prepare() {
  const { onStage } = await import("/src/state/session.ts");
  const { Composer } = await import("/src/export/compose.ts");
  const { momentsOf, record } = await import("/src/export/record.ts");
  const on = onStage.value;
  const { player, stage } = on;
  const film = player.film.value;
  await film.need(film.last);
  const size = [stage.canvas.width & ~1, stage.canvas.height & ~1];
  const moments = momentsOf(film.first, film.end);
  const wish = { size, recipe: "#v=1&view=digits&digit=301", address: location.href };

  let settings = null; // as the film's encoder is configured
  const configure = VideoEncoder.prototype.configure;
  VideoEncoder.prototype.configure = function (given) {
    settings = given;
    return configure.call(this, given);
  };
  const each = async (work) => {
    const composer = new Composer(on, size, wish.address, true);
    stage.lent = true;
    try {
      for (const at of moments) { // a picture whose pixels nobody asks for is not drawn
        await work(player.during(at, () => composer.draw()).getContext("2d").getImageData(0, 0, ...size).data.buffer);
      }
    } finally {
      composer.dispose();
      stage.lent = false;
    }
  };
  const kept = []; // pixels of every picture
  await each((pixels) => kept.push(pixels));

  window.pieces = {
    drawing: async () => {
      await each(() => undefined);
      return `${moments.length} pictures`;
    },
    encoding: async () => {
      let bytes = 0;
      const coder = new VideoEncoder({ output: (chunk) => (bytes += chunk.byteLength), error: (e) => { throw e; } });
      coder.configure(settings);
      for (const [k, pixels] of kept.entries()) {
        while (coder.encodeQueueSize > 4) await new Promise((done) => coder.addEventListener("dequeue", done, { once: true }));
        const look = { format: "RGBX", codedWidth: size[0], codedHeight: size[1], timestamp: (k * 1e6) / 30, duration: 1e6 / 30 };
        const frame = new VideoFrame(pixels, look);
        coder.encode(frame, { keyFrame: k % 60 === 0 });
        frame.close();
      }
      await coder.flush();
      coder.close();
      return `${bytes} bytes`;
    },
    film: async () => {
      const made = await record(on, wish, () => true);
      return `${made.frames} pictures, ${made.blob.size} bytes, ${made.extension}, ${size.join(" x ")}`;
    },
  };
  return window.pieces.film(); // once before all: it says how it encodes
}

/** Medians of the three pieces over so many rounds: { drawing: { seconds, processor, said }, ... }. */
export async function filmPieces(rounds) {
  const server = await createServer({ root: new URL("..", import.meta.url).pathname, logLevel: "error", server: { port: 0, host: "127.0.0.1", hmr: false } });
  await server.listen();
  const browser = await chromium.launch(launchOptions);
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block" });
    await page.goto(`http://127.0.0.1:${server.httpServer.address().port}/${kHash}`);
    await page.waitForSelector(".timeline:not([data-frame='0'])", { timeout: 120_000 });
    await page.evaluate(prepare);
    const runs = Object.fromEntries(kPieces.map((piece) => [piece, []]));
    for (let k = 0; k < rounds; ++k) {
      for (const piece of kPieces) {
        const before = processorSeconds();
        const told = await page.evaluate(async (name) => {
          const began = performance.now();
          const said = await window.pieces[name]();
          return { said, seconds: (performance.now() - began) / 1000 };
        }, piece);
        runs[piece].push({ ...told, processor: processorSeconds() - before });
      }
    }
    return Object.fromEntries(kPieces.map((piece) => [piece, {
      seconds: median(runs[piece].map((run) => run.seconds)),
      processor: median(runs[piece].map((run) => run.processor)),
      said: runs[piece][0].said,
    }]));
  } finally {
    await browser.close();
    await server.close();
  }
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const rounds = Number(process.argv[2] ?? 5);
  const pieces = await filmPieces(rounds);
  console.log(`${machine()}, software rendering; medians of ${rounds} rounds`);
  console.log(" ".repeat(28) + "by the clock, s".padStart(18) + "processor, s".padStart(18));
  const row = (name, seconds, processor, said = "") =>
    console.log(name.padEnd(28) + seconds.toFixed(2).padStart(18) + processor.toFixed(2).padStart(18) + (said && `   ${said}`));
  for (const piece of kPieces) row({ drawing: "drawing alone", encoding: "encoding alone", film: "the film" }[piece], pieces[piece].seconds, pieces[piece].processor, pieces[piece].said);
  const { drawing, encoding, film } = pieces;
  row("film / (drawing + encoding)", film.seconds / (drawing.seconds + encoding.seconds), film.processor / (drawing.processor + encoding.processor));
}
