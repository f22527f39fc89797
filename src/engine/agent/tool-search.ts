import * as z from "zod/mini";
import { isRecord } from "../../shared/json-values.ts";
import { shortened } from "../../shared/one-line.ts";
import { indexWords } from "../../shared/words/index-text.ts";
import { toolInput } from "../tools/tool-input.ts";
import { type Tool, ToolFailed } from "../tools/tool.ts";

export const TOOL_SEARCH = "tool_search";

/** Tools that one search loads. */
const LOADED_AT_ONCE = 5;
/** Characters for the names of all deferred tools in the description. */
const MAX_LISTED = 4000;
const MIN_LISTED = 60;
const SHOWN_DESCRIPTION = 300;
/** How much a word counts in the name, in the description and in the names of arguments. */
const WEIGHTS = [8, 3, 1] as const;

/** Positions of the best documents for some words: `rankByWords` of the store. */
export type RankByWords = (
  documents: readonly (readonly (readonly string[])[])[],
  options: {
    readonly words: readonly string[];
    readonly weights: readonly [number, ...number[]];
    readonly limit: number;
  },
) => readonly number[];

const input = toolInput(
  z.object({
    query: z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(1000),
        z.describe("Words for what the tool does, or exact names of tools separated by spaces"),
      ),
  }),
);

/** Tool that finds tools which are not in the request, and loads the best for the rest of the conversation. */
export function toolSearch(deferred: readonly Tool[], rankByWords: RankByWords): Tool<{ query: string }> {
  let documents: readonly (readonly (readonly string[])[])[] | undefined;
  return {
    name: TOOL_SEARCH,
    description: `Finds tools that are not loaded and loads the best ${LOADED_AT_ONCE}. You can call them from your next step on. Search by what the tool does, or by its name. Search before you say that something cannot be done. Not loaded are:\n${listing(deferred)}`,
    input,
    readOnly: true,
    permission: "allow",
    returns: "own",
    bookkeeping: true,
    resources: () => [],
    async run({ query }, context) {
      if (context.loadTools === undefined) throw new ToolFailed("tools cannot be loaded here");
      // From the first search on: most of its time is for the words of the tools.
      documents ??= deferred.map(documentOf);
      const found = bestTools(deferred, query, (words) =>
        rankByWords(documents ?? [], { words, weights: WEIGHTS, limit: LOADED_AT_ONCE }),
      );
      context.loadTools(found.map(({ name }) => name));
      if (found.length === 0) return { loaded: [], note: "no tool matches; search by other words" };
      return {
        loaded: found.map(({ name, description }) => ({
          name,
          description: shortened(description, SHOWN_DESCRIPTION),
        })),
      };
    },
  };
}

/** Those that the query names come first. */
function bestTools(
  deferred: readonly Tool[],
  query: string,
  rank: (words: readonly string[]) => readonly number[],
): readonly Tool[] {
  const names = new Set(query.split(/[\s,]+/));
  const named = deferred.filter(({ name }) => names.has(name));
  const ranked = rank(indexWords(spaced(query))).flatMap((at) => deferred[at] ?? []);
  return [...new Set([...named, ...ranked])].slice(0, LOADED_AT_ONCE);
}

const documentOf = ({ name, description, input }: Tool) => [
  indexWords(spaced(name)),
  indexWords(description),
  indexWords(spaced(argumentNames(input.jsonSchema).join(" "))),
];

/** With a space beside each underscore: the parts of a name are words of their own. */
const spaced = (text: string): string => text.replaceAll(/[_.:/-]+/g, " ");

const argumentNames = ({ properties }: Readonly<Record<string, unknown>>): readonly string[] =>
  isRecord(properties) ? Object.keys(properties) : [];

/** Names of the tools by source, shortened when there are many. */
function listing(tools: readonly Tool[]): string {
  const sources = Object.entries(Object.groupBy(tools, ({ source = "" }) => source)).toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const room = Math.max(MIN_LISTED, Math.floor(MAX_LISTED / sources.length));
  return sources
    .map(([source, all = []]) => {
      const names = all
        .map(({ name }) => name)
        .toSorted()
        .join(", ");
      return `- ${source} (${all.length}): ${shortened(names, room)}`;
    })
    .join("\n");
}
