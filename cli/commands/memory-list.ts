import type { MemoryItems } from "../../src/client/record-types.ts";
import { Argument } from "commander";
import { MEMORY_LISTS, type MemoryList } from "../../src/contract/engine/memory-format.ts";
import { withEngine } from "../connect-engine.ts";
import { wholeNumber } from "../option-values.ts";
import { safe } from "../output.ts";
import { table } from "../table.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

const SHOWN = 100;
const COLUMNS = ["DATE", "CONTENT", "TRUST", "ID"];

export const memorySearchCommand: CommandMaker = (memory, settings) => {
  memory
    .command("search <user> <query...>")
    .description("Search an engine's memory, as its agent does")
    .option("-n, --limit <count>", "how many at most", wholeNumber, 10)
    .addHelpText("after", example('orchctl memory search alice "where does Anna live?"'))
    .action(async (user: string, terms: string[], { limit }: { limit: number }, command) => {
      const session = sessionOf(command, settings);
      const results = await withEngine(session, user, (engine) =>
        engine.searchKnowledge({ query: terms.join(" "), limit }),
      );
      session.print.document({ results }, (columns) =>
        results.length === 0
          ? "no results"
          : table(
              COLUMNS,
              results.map(({ id, created_at, trust, content }) => [dateOf(created_at), short(content), trust, id]),
              columns,
            ),
      );
    });
};

interface ListOptions {
  readonly limit: number;
  readonly cursor?: string;
}

export const memoryListCommand: CommandMaker = (memory, settings) => {
  memory
    .command("list <user>")
    .addArgument(new Argument("<kind>", "what to list").choices(MEMORY_LISTS))
    .description("List one kind of memory, the newest first")
    .option("-n, --limit <count>", "how many at most", wholeNumber, 50)
    .option("--cursor <cursor>", "the cursor of the next page, as printed by the page before")
    .addHelpText("after", example("orchctl memory list alice knowledge"))
    .action(async (user: string, kind: MemoryList, { limit, cursor }: ListOptions, command) => {
      const session = sessionOf(command, settings);
      const page = await withEngine(session, user, (engine) => engine.listMemory(kind, { limit, cursor }));
      session.print.document(page, (columns) => describe(kind, page.items, columns));
      if (page.next_cursor !== null && !session.print.json)
        session.print.note(`More: --cursor ${safe(page.next_cursor)}`);
    });
};

const ROWS: { readonly [List in MemoryList]: (item: MemoryItems[List]) => readonly (string | null)[] } = {
  episodes: ({ id, event_time, question, trust }) => [dateOf(event_time), short(question), trust, id],
  knowledge: ({ id, created_at, content, trust, invalidated_at }) => [
    dateOf(created_at),
    short(invalidated_at === null ? content : `(until ${dateOf(invalidated_at)}) ${content}`),
    trust,
    id,
  ],
  social: ({ id, last_seen, name, type, trust, edges }) => [
    dateOf(last_seen),
    short(`${name} (${type}), ${edges.length === 1 ? "1 relation" : `${edges.length} relations`}`),
    trust,
    id,
  ],
  working: ({ id, created_at, entry_type, content }) => [
    dateOf(created_at),
    short(`${entry_type}: ${content}`),
    null,
    id,
  ],
  trajectories: ({ id, created_at, trust, outcome, steps, task_id }) => [
    dateOf(created_at),
    short(`${outcome}, ${steps.length} calls, task ${task_id}`),
    trust,
    id,
  ],
};

function describe<List extends MemoryList>(
  kind: List,
  items: readonly MemoryItems[List][],
  columns: number | null,
): string {
  if (items.length === 0) return "nothing yet";
  return table(COLUMNS, items.map(ROWS[kind]), columns);
}

const dateOf = (time: string): string => time.slice(0, 16).replace("T", " ");

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1).toWellFormed()}…`;
}
