import { getDocumentProxy } from "unpdf";
import { KNOWLEDGE_LIMITS } from "../../contract/orchestrator/knowledge-limits.ts";
import type { MarkedText } from "./read-markdown.ts";
import type { Block } from "./split-passages.ts";
import { UnreadableDocument } from "./unreadable-document.ts";

interface Line {
  readonly page: number;
  readonly text: string;
  /** Of its largest letters. */
  readonly height: number;
  /** The distance to the line before, in its own heights. Null on another page. */
  readonly gap: number | null;
}

const MAX_PAGES = 5000;
/** A line of letters this much larger than most is a heading. */
const HEADING_HEIGHT = 1.15;
const MAX_HEADING_WORDS = 14;
/** A larger distance between lines begins a paragraph. */
const PARAGRAPH_GAP = 1.8;

/** The text layer of a PDF file, by pages. A line in larger letters is a heading. */
export async function readPdf(bytes: Uint8Array): Promise<MarkedText> {
  const lines = await linesOf(bytes);
  if (lines.lines.length === 0)
    throw new UnreadableDocument("it has no text; scanned pages need a text layer (OCR) first");
  const usual = usualHeight(lines.lines);
  const blocks: Block[] = [];
  let heading: string[] = [];
  let first: string | null = null;
  let open: Line[] = [];
  const close = (): void => {
    const [from, to] = [open[0]?.page, open.at(-1)?.page];
    if (from !== undefined && to !== undefined)
      blocks.push({ heading, lines: null, pages: [from, to], text: open.map(({ text }) => text).join("\n") });
    open = [];
  };
  for (const line of lines.lines) {
    const isHeading = line.height > usual * HEADING_HEIGHT && line.text.split(" ").length <= MAX_HEADING_WORDS;
    if (isHeading) {
      close();
      first ??= line.text;
      heading = [line.text];
    } else {
      if (line.gap === null || line.gap > PARAGRAPH_GAP) close();
      open.push(line);
    }
  }
  close();
  return { title: lines.title ?? first, blocks };
}

async function linesOf(bytes: Uint8Array): Promise<{ readonly title: string | null; readonly lines: readonly Line[] }> {
  const pdf = await openPdf(bytes);
  if (pdf.numPages > MAX_PAGES)
    throw new UnreadableDocument(`expected at most ${MAX_PAGES} pages, got ${pdf.numPages}`);
  const lines: Line[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number).catch(damaged);
    const { items } = await page.getTextContent().catch(damaged);
    for (const line of pageLines(
      items.filter((item) => "str" in item),
      number,
    )) {
      length += line.text.length;
      if (length > KNOWLEDGE_LIMITS.documentTextBytes) throw new UnreadableDocument(TOO_MUCH_TEXT);
      lines.push(line);
    }
    page.cleanup();
  }
  return { title: await titleOf(pdf), lines };
}

export const TOO_MUCH_TEXT = `expected at most ${KNOWLEDGE_LIMITS.documentTextBytes / 1024 / 1024} MiB of text`;

function openPdf(bytes: Uint8Array) {
  if (!Buffer.from(bytes.subarray(0, 1024)).includes("%PDF-")) throw new UnreadableDocument("expected a PDF file");
  // Without code of its own: neither functions made of text, nor fonts of the host.
  const options = { isEvalSupported: false, disableFontFace: true, useSystemFonts: false, verbosity: 0 };
  return getDocumentProxy(bytes, options).catch((error: unknown) => {
    if (error instanceof Error && error.name === "PasswordException")
      throw new UnreadableDocument("it is protected by a password");
    return damaged(error);
  });
}

function damaged(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new UnreadableDocument(`the PDF file is damaged (${reason.slice(0, 200)})`);
}

interface Item {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly height: number;
  readonly transform: readonly unknown[];
}

function* pageLines(items: readonly Item[], page: number): Generator<Line> {
  let [text, height, before] = ["", 0, null as number | null];
  let y = 0;
  for (const [at, item] of items.entries()) {
    if (item.str.trim() !== "") {
      height = Math.max(height, item.height);
      y = Number(item.transform[5]);
    }
    text += item.str;
    if (!item.hasEOL && at < items.length - 1) continue;
    const line = text.replaceAll(/\s+/g, " ").replaceAll("\0", "").trim();
    if (line !== "") {
      yield { page, text: line, height, gap: before === null ? null : Math.abs(before - y) / (height || 1) };
      before = y;
    }
    [text, height] = ["", 0];
  }
}

/** The height of most letters. */
function usualHeight(lines: readonly Line[]): number {
  const letters = new Map<number, number>();
  for (const { height, text } of lines) letters.set(height, (letters.get(height) ?? 0) + text.length);
  return [...letters].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0] as [number, number])[0];
}

async function titleOf(pdf: Awaited<ReturnType<typeof openPdf>>): Promise<string | null> {
  const { info } = (await pdf.getMetadata().catch(() => ({ info: {} }))) as { readonly info: { Title?: unknown } };
  const title = typeof info.Title === "string" ? info.Title.replaceAll(/\s+/g, " ").trim() : "";
  return title === "" ? null : title;
}
