// equations.plugin.ts: typesets src/strings/equations.json by KaTeX when the page is built.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import katex from "katex";
import type { Plugin } from "vite";

const source = fileURLToPath(new URL("src/strings/equations.json", import.meta.url));
const name = "virtual:equations";

/** `import { equations } from "virtual:equations"`: HTML with MathML for every named formula. */
export function equations(): Plugin {
  return {
    name: "equations",
    enforce: "pre",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    // Every browser that runs the core reads woff2: the older kinds of KaTeX's fonts stay out.
    transform(code, id) {
      if (!id.includes("katex.min.css")) return undefined;
      return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, "");
    },
    load(id) {
      if (id !== `\0${name}`) return undefined;
      this.addWatchFile(source);
      const tex: Record<string, string> = JSON.parse(readFileSync(source, "utf8"));
      const html = Object.fromEntries(
        Object.entries(tex).map(([key, text]) => [
          key,
          katex.renderToString(text, { displayMode: true, throwOnError: true, strict: "error" }),
        ]),
      );
      return `import "katex/dist/katex.min.css";\nexport const equations = ${JSON.stringify(html)};`;
    },
  };
}
