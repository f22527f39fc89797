import type { KnowledgePassage } from "../../contract/orchestrator/knowledge-passage.ts";

/** A paragraph, list or table of a document. */
export interface Block extends Pick<KnowledgePassage, "heading" | "lines" | "pages"> {
  readonly text: string;
}

/** A passage of about a hundred words says one thing; of a longer one the model reads what it does not need. */
const WORDS = 160;
/** A paragraph that is longer is cut. */
const MAX_WORDS = 240;
/** So many characters count as a word at least. */
const CHARACTERS_OF_WORD = 12;
/** The end of a section that is this short stays with what is before it. */
const MIN_WORDS = 30;

/** Joins the blocks of a section to passages of about a hundred words. A passage never goes beyond its heading. */
export function splitPassages(blocks: Iterable<Block>): readonly KnowledgePassage[] {
  const passages: KnowledgePassage[] = [];
  let open: { readonly blocks: Block[]; words: number } | null = null;
  const close = (): void => {
    if (open !== null) passages.push({ number: passages.length + 1, ...joined(open.blocks) });
    open = null;
  };
  for (const block of blocks) {
    for (const piece of cut(block)) {
      const words = countWords(piece.text);
      const first = open?.blocks[0];
      const continues = first !== undefined && sameHeading(first.heading, piece.heading);
      const limit = words < MIN_WORDS ? MAX_WORDS : WORDS;
      if (open !== null && (!continues || open.words + words > limit)) close();
      open ??= { blocks: [], words: 0 };
      open.blocks.push(piece);
      open.words += words;
    }
  }
  close();
  return passages;
}

function joined(blocks: readonly Block[]): Omit<KnowledgePassage, "number"> {
  const [first] = blocks;
  const range = (key: "lines" | "pages"): [number, number] | null => {
    const [from, to] = [first?.[key]?.[0], blocks.at(-1)?.[key]?.[1]];
    return from === undefined || to === undefined ? null : [from, to];
  };
  return {
    heading: [...(first?.heading ?? [])],
    lines: range("lines"),
    pages: range("pages"),
    text: blocks.map(({ text }) => text).join("\n\n"),
  };
}

/** A block that is too long, such as a table, in pieces of whole lines; a line that is too long in pieces of words. */
function* cut(block: Block): Generator<Block> {
  if (countWords(block.text) <= MAX_WORDS) {
    yield block;
    return;
  }
  const from = block.lines?.[0];
  let piece: string[] = [];
  let [words, start] = [0, 0];
  const lines = block.text.split("\n");
  const take = (end: number): Block => {
    const at: [number, number] | null = from === undefined ? null : [from + start, from + Math.max(start, end - 1)];
    return { ...block, lines: at, text: piece.join("\n") };
  };
  for (const [number, line] of lines.entries()) {
    for (const part of shortLines(line)) {
      const count = countWords(part);
      if (piece.length > 0 && words + count > WORDS) {
        yield take(Math.max(number, start + 1));
        [piece, words, start] = [[], 0, number];
      }
      piece.push(part);
      words += count;
    }
  }
  if (piece.length > 0) yield take(lines.length);
}

/** Cut at spaces where there are any. */
function* shortLines(line: string): Generator<string> {
  for (let from = 0; from < line.length;) {
    const to = endOfPart(line, from);
    yield line.slice(from, to);
    from = line[to] === " " ? to + 1 : to;
  }
}

function endOfPart(line: string, from: number): number {
  const most = from + WORDS * CHARACTERS_OF_WORD;
  let end = from;
  for (let words = 0; words < WORDS; words++) {
    const space = line.indexOf(" ", end + 1);
    const next = space === -1 ? line.length : space;
    if (next > most) break;
    end = next;
    if (end === line.length) return end;
  }
  if (end > from) return end;
  const isPair = /[\ud800-\udbff]/.test(line[most - 1] ?? "");
  return isPair ? most - 1 : Math.min(most, line.length);
}

/** Text without spaces, such as Chinese, has no words to count. */
function countWords(text: string): number {
  let spaces = 0;
  for (let at = text.indexOf(" "); at !== -1; at = text.indexOf(" ", at + 1)) spaces++;
  return Math.max(spaces + 1, Math.ceil(text.length / CHARACTERS_OF_WORD));
}

const sameHeading = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((text, at) => text === other[at]);
