import type { Block } from "./split-passages.ts";

export interface MarkedText {
  /** By its front matter, else its first heading. Null without both. */
  readonly title: string | null;
  readonly blocks: readonly Block[];
}

// None of these may try a line in more ways than it has characters: a document may be one line of some MiB.
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const FRONT_TITLE = /^title:[ \t]*(?:"([^"]*)"|'([^']*)'|(\S.*))[ \t]*$/i;
const MAX_HEADING = 200;
/** Of a heading with its marks. */
const MAX_MARKED_HEADING = 2000;

/** The sections of Markdown. `isNumbered`: whether lines of the text are lines of the document. */
export function readMarkdown(text: string, { isNumbered }: { readonly isNumbered: boolean }): MarkedText {
  const lines = text.split(/\r\n?|\n/);
  const front = frontMatter(lines);
  const blocks: Block[] = [];
  const path: { readonly level: number; readonly name: string }[] = [];
  let first: string | null = null;
  let open: { from: number; readonly lines: string[] } | null = null;
  let fence: string | null = null;
  const close = (): void => {
    if (open !== null)
      blocks.push({
        heading: path.map(({ name }) => name),
        lines: isNumbered ? [open.from + 1, open.from + open.lines.length] : null,
        pages: null,
        text: open.lines.join("\n").trimEnd(),
      });
    open = null;
  };
  const enter = (level: number, heading: string): void => {
    close();
    const name = plain(heading);
    first ??= name;
    while ((path.at(-1)?.level ?? 0) >= level) path.pop();
    path.push({ level, name });
  };
  for (let at = front.lines; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const marks = FENCE.exec(line)?.[1];
    if (marks !== undefined && (fence === null || marks.startsWith(fence))) fence = fence === null ? marks : null;
    const heading = fence === null && marks === undefined ? HEADING.exec(line) : null;
    if (heading !== null) {
      enter(heading[1]?.length ?? 1, withoutClosing(heading[2] ?? ""));
    } else if (fence === null && open?.lines.length === 1 && isUnderlined(open.lines[0] ?? "", line)) {
      const [name] = open.lines;
      open = null;
      enter(line.includes("=") ? 1 : 2, name ?? "");
    } else if (line.trim() === "" && fence === null) {
      close();
    } else if (line.trim() !== "" || open !== null) {
      open ??= { from: at, lines: [] };
      open.lines.push(line);
    }
  }
  close();
  return { title: front.title ?? first, blocks };
}

const isUnderlined = (line: string, next: string): boolean =>
  UNDERLINE.test(next) && !/^\s*(?:[-*+|>]|\d+\.)/.test(line);

/** The title in a front matter of YAML, and the number of its lines. */
function frontMatter(lines: readonly string[]): { readonly title: string | null; readonly lines: number } {
  if (lines[0]?.trimEnd() !== "---") return { title: null, lines: 0 };
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end === -1) return { title: null, lines: 0 };
  const [, double, single, bare] =
    lines.slice(1, end).flatMap((line) => [FRONT_TITLE.exec(line)].filter((found) => found !== null))[0] ?? [];
  return { title: (double ?? single ?? bare)?.trim() || null, lines: end + 1 };
}

/** Without the number signs after a heading. */
function withoutClosing(heading: string): string {
  const text = heading.trimEnd();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  return /[ \t]/.test(text[end - 1] ?? "") ? text.slice(0, end).trimEnd() : text;
}

/** Without the marks of emphasis, code and links. */
const plain = (heading: string): string =>
  heading
    .slice(0, MAX_MARKED_HEADING)
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]|\\(?=[^\w\s])/g, "")
    .trim()
    .slice(0, MAX_HEADING);
