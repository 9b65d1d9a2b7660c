// literals.ts: every piece of text that a file of the catalogue holds, in whichever branch it stands.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

export const kStrings = fileURLToPath(new URL("../src/strings/", import.meta.url));

/** Names of the files of one folder of the catalogue. */
export function filesOf(folder: string): string[] {
  return readdirSync(kStrings + folder).filter((name) => name.endsWith(".ts")).sort();
}

/** A piece of text, and the line it stands at. */
export interface Literal {
  text: string;
  line: number;
}

/** Strings and pieces of templates; neither names of properties nor what is imported. Sums of texts are one text. */
export function literalsOf(path: string): Literal[] {
  const source = ts.createSourceFile(path, readFileSync(kStrings + path, "utf8"), ts.ScriptTarget.Latest, true);
  const found: Literal[] = [];
  const add = (text: string, node: ts.Node) =>
    found.push({ text, line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1 });
  const textOf = (node: ts.Node): string | null => {
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isTemplateExpression(node)) {
      return node.head.text + node.templateSpans.map((span) => `{}${span.literal.text}`).join("");
    }
    if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === null || right === null ? null : left + right;
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    if (ts.isPropertyAssignment(node)) return visit(node.initializer);
    const text = textOf(node);
    if (text !== null && text.trim() !== "") add(text, node);
    if (text === null || !ts.isStringLiteralLike(node)) {
      ts.forEachChild(node, (child) => {
        const inner = text !== null ? innerOf(child) : [child];
        inner.forEach(visit);
      });
    }
  };
  /** Of a text that was taken whole: what is computed inside it. */
  const innerOf = (node: ts.Node): ts.Node[] => {
    if (ts.isStringLiteralLike(node)) return [];
    if (ts.isTemplateSpan(node)) return [node.expression];
    if (ts.isTemplateExpression(node)) return node.templateSpans.map((span) => span.expression);
    if (ts.isBinaryExpression(node) && textOf(node) !== null) return [...innerOf(node.left), ...innerOf(node.right)];
    return ts.isTemplateHead(node) || ts.isToken(node) ? [] : [node];
  };
  visit(source);
  return found;
}
