// page_core.mjs: writes for the page what its core says of itself: the table of methods, and the names of known results.
import { writeFileSync } from "node:fs";
import { ask, inRoot } from "../tests/wasm/module.mjs";

const { methods, known } = ask({ do: "about" }).text;
writeFileSync(inRoot("studio/src/core/wasm/methods.json"), JSON.stringify(methods, null, 2) + "\n");
const names = known.map((name) => `  | ${JSON.stringify(name)}`).join("\n");
writeFileSync(inRoot("studio/src/core/wasm/known.d.ts"), `/** Written by scripts/page_core.mjs. */\nexport type KnownName =\n${names};\n`);
