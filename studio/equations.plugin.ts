// equations.plugin.ts: typesets src/strings/equations.json by KaTeX when the page is built.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import katex from "katex";
import type { Plugin } from "vite";

const source = fileURLToPath(new URL("src/strings/equations.json", import.meta.url));
const prefix = "virtual:equations/";

/** The view whose formula it is, by its name. */
function viewOf(name: string): string {
  return /^(digit|fields|story)_/.exec(name)?.[1] ?? "flock";
}

/** `import { equations } from "virtual:equations/VIEW"`: HTML with MathML for every named formula of a view. */
export function equations(): Plugin {
  return {
    name: "equations",
    enforce: "pre",
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    // Every browser that runs the core reads woff2: the older kinds of KaTeX's fonts stay out.
    transform(code, id) {
      if (!id.includes("katex.min.css")) return undefined;
      return code.replace(/,url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, "");
    },
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return undefined;
      const view = id.slice(1 + prefix.length);
      this.addWatchFile(source);
      const tex: Record<string, string> = JSON.parse(readFileSync(source, "utf8"));
      const html = Object.fromEntries(
        Object.entries(tex).filter(([key]) => viewOf(key) === view).map(([key, text]) => [
          key,
          katex.renderToString(text, { displayMode: true, throwOnError: true, strict: "error" }),
        ]),
      );
      return `import "katex/dist/katex.min.css";\nexport const equations = ${JSON.stringify(html)};`;
    },
  };
}
