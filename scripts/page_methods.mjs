// page_methods.mjs: writes the core's table of methods for the page: names, fixed steps or not, noise or not.
import { writeFileSync } from "node:fs";
import { ask, inRoot } from "../tests/wasm/module.mjs";

const { methods } = ask({ do: "about" }).text;
writeFileSync(inRoot("studio/src/core/wasm/methods.json"), JSON.stringify(methods, null, 2) + "\n");
