import type { KnowledgeResult } from "../../contract/engine/knowledge-result.ts";
import type { KnowledgePassage } from "../../contract/orchestrator/knowledge-passage.ts";

/** A passage with its document, and how well it matches. */
export interface FoundPassage extends KnowledgePassage {
  readonly path: string;
  readonly title: string;
  readonly score: number;
}

/** Passages that are joined: more would hide others of other documents. */
const MAX_JOINED = 3;

/** Joins passages that follow each other in a document to one result. The best come first. */
export function joinNeighbours(found: readonly FoundPassage[]): readonly KnowledgeResult[] {
  const groups: FoundPassage[][] = [];
  for (const passage of found.toSorted(inDocument)) {
    const open = groups.at(-1);
    const last = open?.at(-1);
    const follows = last !== undefined && last.path === passage.path && last.number + 1 === passage.number;
    if (open !== undefined && follows && open.length < MAX_JOINED) open.push(passage);
    else groups.push([passage]);
  }
  return groups.sort((one, other) => bestOf(other) - bestOf(one)).map(joined);
}

const inDocument = (one: FoundPassage, other: FoundPassage): number =>
  one.path === other.path ? one.number - other.number : one.path < other.path ? -1 : 1;

const bestOf = (group: readonly FoundPassage[]): number => Math.max(...group.map(({ score }) => score));

function joined(group: readonly FoundPassage[]): KnowledgeResult {
  const [first, last] = [group[0] as FoundPassage, group.at(-1) as FoundPassage];
  const range = (key: "lines" | "pages"): [number, number] | null => {
    const [from, to] = [first[key]?.[0], last[key]?.[1]];
    return from === undefined || to === undefined ? null : [from, to];
  };
  const [lines, pages] = [range("lines"), range("pages")];
  const { path, title } = first;
  const heading = commonStart(first.heading, last.heading);
  const text = group.map((passage) => textOf(passage, heading)).join("\n\n");
  return { source: sourceOf(path, { lines, pages, number: first.number }), path, title, heading, lines, pages, text };
}

/** With the headings that the result does not have. */
function textOf({ heading, text }: FoundPassage, shown: readonly string[]): string {
  const own = heading.slice(shown.length).join(" > ");
  return own === "" ? text : `${own}\n${text}`;
}

function commonStart(one: readonly string[], other: readonly string[]): string[] {
  const end = one.findIndex((name, at) => name !== other[at]);
  return one.slice(0, end === -1 ? one.length : end);
}

function sourceOf(path: string, { lines, pages, number }: Pick<FoundPassage, "lines" | "pages" | "number">): string {
  if (lines !== null) return `${path}:${span(lines)}`;
  return pages === null ? `${path}#${number}` : `${path}:p${span(pages)}`;
}

const span = ([from, to]: readonly [number, number]): string => (from === to ? String(from) : `${from}-${to}`);
