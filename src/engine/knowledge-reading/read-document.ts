import { KNOWLEDGE_LIMITS, type KnowledgeType } from "../../contract/orchestrator/knowledge-limits.ts";
import type { ReadDocument } from "../../contract/orchestrator/knowledge-passage.ts";
import { htmlText } from "../tools/web/html-text.ts";
import { type MarkedText, readMarkdown } from "./read-markdown.ts";
import { TOO_MUCH_TEXT, readPdf } from "./read-pdf.ts";
import { decodeText } from "./read-text.ts";
import { type Block, splitPassages } from "./split-passages.ts";
import { UnreadableDocument } from "./unreadable-document.ts";

/** Relative links lead nowhere here, and are left out. */
const NO_BASE = new URL("about:blank");

/** The passages of a document. Throws {@link UnreadableDocument}. */
export async function readDocument(
  bytes: Uint8Array,
  { type, path }: { readonly type: KnowledgeType; readonly path: string },
): Promise<ReadDocument> {
  const { title, blocks } = await marked(bytes, type);
  const length = blocks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (length > KNOWLEDGE_LIMITS.documentTextBytes) throw new UnreadableDocument(TOO_MUCH_TEXT);
  const passages = splitPassages(blocks.map(wellFormed));
  if (passages.length === 0) throw new UnreadableDocument("it has no text");
  const name = title ?? path.replace(/^.*\//, "");
  return { title: name.slice(0, KNOWLEDGE_LIMITS.titleCharacters).toWellFormed(), passages };
}

async function marked(bytes: Uint8Array, type: KnowledgeType): Promise<MarkedText> {
  switch (type) {
    case "application/pdf":
      return readPdf(bytes);
    case "text/html": {
      const { title, text } = await htmlText(decodeText(bytes, { isHtml: true }), NO_BASE);
      const page = readMarkdown(text, { isNumbered: false });
      return { ...page, title: title || page.title };
    }
    case "text/markdown":
      return readMarkdown(decodeText(bytes, { isHtml: false }), { isNumbered: true });
    case "text/plain":
      return { title: null, blocks: [...paragraphs(decodeText(bytes, { isHtml: false }))] };
  }
  return type satisfies never;
}

/** Plain text has no headings. */
function* paragraphs(text: string): Generator<Block> {
  let open: string[] = [];
  for (const [at, line] of [...text.split(/\r\n?|\n/), ""].entries()) {
    if (line.trim() !== "") {
      open.push(line.trimEnd());
    } else if (open.length > 0) {
      yield { heading: [], lines: [at - open.length + 1, at], pages: null, text: open.join("\n") };
      open = [];
    }
  }
}

const wellFormed = (block: Block): Block => ({
  ...block,
  heading: block.heading.map((name) => name.toWellFormed()),
  text: block.text.toWellFormed(),
});
