import { setImmediate as others } from "node:timers/promises";
import { decodeEntities } from "./html-entities.ts";

/** What is in them is no text to read. */
const SKIPPED = new Set(["script", "style", "template", "noscript", "svg", "iframe", "object", "title"]);
const BREAKS = new Set(
  "address article aside blockquote br dd div dl dt fieldset figure footer form header hr main nav ol option p pre section table tr ul".split(
    " ",
  ),
);
const MARKS: Readonly<Record<string, string>> = { li: "\n- ", td: " | ", th: " | " };
const TAG = /(\/?)([a-z][a-z0-9-]*)/iy;
const LONGEST_TAG_READ = 4000;
/** So much is read before others have their turn: some milliseconds. */
const READ_AT_ONCE = 64 * 1024;

export interface HtmlText {
  readonly title: string | null;
  readonly text: string;
}

/**
 * The text of a page for a model to read: no markup, headings and lists marked, links with their targets. One pass, with
 * pauses. html-to-text blocks the event loop for 2.7 s on 5 MB (turndown: 11 s), and throws on 100,000 nested tags.
 */
export async function htmlText(html: string, base: URL): Promise<HtmlText> {
  const pieces: string[] = [];
  let title: string | null = null;
  let link: string | null = null;
  let at = 0;
  let pause = READ_AT_ONCE;
  for (;;) {
    if (at > pause) {
      await others();
      pause = at + READ_AT_ONCE;
    }
    const open = html.indexOf("<", at);
    pieces.push(decodeEntities(html.slice(at, open === -1 ? undefined : open)));
    if (open === -1) break;
    if (html.startsWith("<!--", open)) {
      at = after(html, "-->", open + 4);
      continue;
    }
    TAG.lastIndex = open + 1;
    const [, slash, tag] = TAG.exec(html) ?? [];
    if (tag === undefined) {
      const skip = html[open + 1] === "!" || html[open + 1] === "?" || html[open + 1] === "/";
      if (!skip) pieces.push("<");
      at = skip ? after(html, ">", open) : open + 1;
      continue;
    }
    const name = tag.toLowerCase();
    at = after(html, ">", open);
    if (name === "a") {
      if (link !== null) pieces.push(` (${link})`);
      link = slash === "" ? target(html.slice(open, Math.min(at, open + LONGEST_TAG_READ)), base) : null;
    } else if (slash === "" && SKIPPED.has(name)) {
      const close = indexOfTag(html, name, at);
      if (name === "title") title ??= flat(decodeEntities(html.slice(at, close)));
      at = after(html, ">", close);
    } else if (/^h[1-6]$/.test(name)) {
      pieces.push(slash === "" ? `\n\n${"#".repeat(Number(name[1]))} ` : "\n\n");
    } else if (slash === "" && Object.hasOwn(MARKS, name)) {
      pieces.push(MARKS[name] ?? "");
    } else if (BREAKS.has(name)) {
      pieces.push(name === "br" || name === "tr" ? "\n" : "\n\n");
    }
  }
  return { title, text: tidy(pieces.join("")) };
}

/** The place behind the next `what`, or the end. */
function after(html: string, what: string, from: number): number {
  const found = html.indexOf(what, from);
  return found === -1 ? html.length : found + what.length;
}

function indexOfTag(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}`, "gi");
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** Only what could be fetched, and leads elsewhere. */
function target(tag: string, base: URL): string | null {
  const [, , double, single, bare] = /\shref\s*=\s*("([^"]*)"|'([^']*)'|([^\s>"']+))/i.exec(tag) ?? [];
  const href = decodeEntities((double ?? single ?? bare ?? "").trim());
  if (href === "" || href.startsWith("#")) return null;
  const url = URL.parse(href, base.href);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null;
}

const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Blanks of the source mean nothing; empty lines do. */
function tidy(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}
