import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** Elements whose content is not text. */
const SKIPPED = new Set(["script", "style", "template", "noscript", "svg", "iframe", "object", "title"]);
const BREAKS = new Set(
  "address article aside blockquote br dd div dl dt fieldset figure footer form header hr main nav ol option p pre section table tr ul".split(
    " ",
  ),
);
const MARKS: Readonly<Record<string, string>> = { li: "\n- ", td: " | ", th: " | " };
const TAG = /(\/?)([a-z][a-z0-9-]*)/iy;
const MAX_TAG = 4000;
/** Characters between two yields to the event loop: a few milliseconds. */
const CHARACTERS_PER_YIELD = 64 * 1024;

export interface HtmlText {
  readonly title: string | null;
  readonly text: string;
}

/** In code point order from U+00A0. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const OTHERS = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  euro: "€",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  lsquo: "‘",
  rsquo: "’",
  sbquo: "‚",
  ldquo: "“",
  rdquo: "”",
  bdquo: "„",
  bull: "•",
  trade: "™",
  larr: "←",
  rarr: "→",
  minus: "−",
  infin: "∞",
  asymp: "≈",
  ne: "≠",
  le: "≤",
  ge: "≥",
};
const NAMED = new Map([
  ...LATIN.split(" ").map((name, index) => [name, String.fromCodePoint(0xa0 + index)] as const),
  ...Object.entries(OTHERS),
]);

/**
 * The text of a page for a model to read: no markup, headings and lists marked, links with their targets. One pass, with
 * pauses. html-to-text blocks the event loop for 2.7 s on 5 MB (turndown: 11 s), and throws on 100,000 nested tags.
 */
export async function htmlText(html: string, base: URL): Promise<HtmlText> {
  const pieces: string[] = [];
  let title: string | null = null;
  let link: string | null = null;
  let at = 0;
  let pause = CHARACTERS_PER_YIELD;
  for (;;) {
    if (at > pause) {
      await yieldToEventLoop();
      pause = at + CHARACTERS_PER_YIELD;
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
      link = slash === "" ? target(html.slice(open, Math.min(at, open + MAX_TAG)), base) : null;
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

/** Index after the next `what`, or the end. */
function after(html: string, what: string, from: number): number {
  const found = html.indexOf(what, from);
  return found === -1 ? html.length : found + what.length;
}

function indexOfTag(html: string, name: string, from: number): number {
  const close = new RegExp(`</${name}`, "gi");
  close.lastIndex = from;
  return close.exec(html)?.index ?? html.length;
}

/** The absolute http(s) URL of a link; null for fragments and other schemes. */
function target(tag: string, base: URL): string | null {
  const [, , double, single, bare] = /\shref\s*=\s*("([^"]*)"|'([^']*)'|([^\s>"']+))/i.exec(tag) ?? [];
  const href = decodeEntities((double ?? single ?? bare ?? "").trim());
  if (href === "" || href.startsWith("#")) return null;
  const url = URL.parse(href, base.href);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") ? url.href : null;
}

const flat = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

/** Collapses whitespace; keeps one empty line. */
function tidy(text: string): string {
  return text
    .replaceAll(/[^\S\n]+/g, " ")
    .replaceAll(/ ?\n ?/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

/** Decodes common HTML character references; others stay unchanged. */
function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z][A-Za-z0-9]{1,7}));/g, (match, ...found) => {
    const [decimal, hex, name] = found as (string | undefined)[];
    if (name !== undefined) return NAMED.get(name) ?? match;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code);
  });
}
