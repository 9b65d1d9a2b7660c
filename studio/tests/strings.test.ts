// strings.test.ts: every word the page says stands in the catalogue: none is written where it is used.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const kSource = new URL("../src", import.meta.url).pathname;
/** Properties that a visitor reads or hears, whatever stands in them. */
const kSaid = /^(title|label|hint|summary|text|what|remedy|placeholder|alt|aria-label|aria-description)$/;
/** Attributes of markup that are never said. */
const kMute = /^(class|kind|item|style|d|viewBox|points|accept|rel|href|src|id|for|role|type|name|data-.*)$/;
const kGap = "§"; // stands for what a template puts in
const kSentence = /(\p{L}{2,}|§),? \p{L}{2,}/u;
const kWord = /\p{L}{2,}/u;
/** Calls and properties whose words are for the browser, or names that are looked up. */
const kForBrowser = /(closest|querySelector|matchMedia|getContext|getPropertyValue)$/;
const kLookedUp = /^(reader|font)$/;
/** A font, a shader, a selector, a frame's markup, the name of the program. */
const kNoSpeech = /\bsystem-ui\b|\bvoid main\(\)|^#version|\bvec3 gamma\(|^<iframe |\[(role|type|contenteditable)\b|^murmur [a-z]+$/;

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ["strings", "wasm"].includes(entry.name) ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

/** The text a node says, or null where it says none. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return [node.head, ...node.templateSpans.map((span) => span.literal)].map((part) => part.text).join(kGap);
  }
  return ts.isJsxText(node) ? node.text : null;
}

/** What takes the value of a node in: its parent, or that of the choice or the braces it stands in. */
function takerOf(node: ts.Node): ts.Node {
  const { parent } = node;
  const isChoice = ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent);
  return isChoice || ts.isJsxExpression(parent) ? takerOf(parent) : parent;
}

function isForBrowser(node: ts.Node): boolean {
  const taker = takerOf(node);
  if (ts.isImportDeclaration(taker) || ts.isExportDeclaration(taker) || ts.isLiteralTypeNode(taker)) return true;
  if (ts.isJsxAttribute(taker)) return kMute.test(taker.name.getText());
  if (ts.isPropertyAssignment(taker)) return kLookedUp.test(taker.name.getText());
  return ts.isCallExpression(taker) && kForBrowser.test(taker.expression.getText());
}

/** Whether the words of a node stand where a visitor reads them, so that a single word is too many. */
function isSaid(node: ts.Node): boolean {
  const taker = takerOf(node);
  if (ts.isJsxText(node) || ts.isJsxElement(taker) || ts.isJsxFragment(taker)) return true;
  return (ts.isJsxAttribute(taker) || ts.isPropertyAssignment(taker)) && kSaid.test(taker.name.getText());
}

/** "file:line: words" of everything said outside the catalogue. */
function strays(path: string, code: string): string[] {
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    const hears = text !== null && (isSaid(node) ? kWord : kSentence).test(text);
    if (hears && !kNoSpeech.test(text) && !isForBrowser(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${path.slice(kSource.length + 1)}:${line + 1}: ${text.trim()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe("words", () => {
  it("stand in the catalogue alone", () => {
    expect(sources(kSource).flatMap((path) => strays(path, readFileSync(path, "utf8")))).toEqual([]);
  }, 30_000);

  it("are found wherever else they stand", () => {
    const said = (code: string) => strays(`${kSource}/x.tsx`, code).length;
    expect(said('throw new Error("no such thing");')).toBe(1);
    expect(said("const said = `${many} with clusters`;")).toBe(1);
    expect(said('const fault = { what: "stopped", remedy: words.remedy };')).toBe(1);
    expect(said("const view = <p>Hello</p>;")).toBe(1);
    expect(said('const view = <p>{on ? "Hello" : words.no}</p>;')).toBe(1);
    expect(said('const view = <p class="one two" aria-label="three">{words.four}</p>;')).toBe(1);
    expect(said('const mark = <b title="t" class={on ? "one two" : "three"}>×</b>;')).toBe(0);
  });
});
