import type { Page } from "./fetch-page.ts";
import { type HtmlText, htmlText } from "./html-text.ts";

const TEXTUAL =
  /^(text\/|application\/([\w.-]+\+)?(json|xml|javascript|x-javascript|yaml|x-yaml|toml|graphql|sql)\b|$)/;
const HTML = /^(text\/html|application\/xhtml\+xml)\b/;
/** Invisible Unicode tag characters, a known vector of prompt injection. */
const TAG_CHARACTERS = /[\u{E0000}-\u{E007F}]/gu;

/** The text and title of a page; null if it is not text. */
export async function pageText({ body, contentType, url }: Page): Promise<HtmlText | null> {
  const type = contentType.toLowerCase().trim();
  if (!TEXTUAL.test(type) && !HTML.test(type)) return null;
  const isHtml = HTML.test(type);
  const charset = /charset\s*=\s*["']?([\w-]+)/.exec(type)?.[1] ?? (isHtml ? declaredCharset(body) : undefined);
  const text = decode(body, charset ?? "utf-8").replaceAll(TAG_CHARACTERS, "");
  if (text.includes("\0")) return null;
  return isHtml ? htmlText(text, url) : { title: null, text };
}

/** The charset of a meta element in the first 2 KiB. */
const declaredCharset = (body: Buffer): string | undefined =>
  /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]+)/i.exec(body.subarray(0, 2048).toString("latin1"))?.[1];

function decode(body: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch (error) {
    if (error instanceof RangeError) return body.toString("utf8");
    throw error;
  }
}
