// preview.plugin.ts: the card that chats and feeds show of a link to the page: title, sentence and picture in its head.
import type { HtmlTagDescriptor, Plugin } from "vite";

export const kTitle = "Murmuration: transformers as swarms";
export const kSentence = "Draw a digit and watch its tokens fly to the answer. Attention is flocking, layers are time.";

/**
 * Tags of Open Graph and of Twitter's cards. `address` is where the page will stand, as https://host/folder/; those who
 * read the tags want whole addresses, so without one (a local page) the picture is named as its neighbour.
 */
export function tagsOf(address: string): HtmlTagDescriptor[] {
  const base = address === "" || address.endsWith("/") ? address : `${address}/`;
  const open: [string, string][] = [
    ["og:type", "website"], ["og:site_name", "Murmuration"], ["og:title", kTitle], ["og:description", kSentence],
    ["og:image", `${base || "./"}card.png`], ["og:image:width", "1200"], ["og:image:height", "630"],
    ["og:image:alt", "The ink of a handwritten six, as tokens, flies between two gates"],
    ...(base === "" ? [] : [["og:url", base] as [string, string]]),
  ];
  const twitter: [string, string][] = [["twitter:card", "summary_large_image"]];
  const meta = (attribute: string) => ([name, content]: [string, string]): HtmlTagDescriptor =>
    ({ tag: "meta", attrs: { [attribute]: name, content }, injectTo: "head" });
  return [...open.map(meta("property")), ...twitter.map(meta("name"))];
}

/** STUDIO_ADDRESS says where the page will stand. */
export function preview(): Plugin {
  return { name: "preview", transformIndexHtml: () => tagsOf(process.env.STUDIO_ADDRESS ?? "") };
}
