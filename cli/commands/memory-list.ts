import { Argument } from "commander";
import { MEMORY_LISTS, type MemoryItems, type MemoryList } from "../../src/contract/memory-records.ts";
import { withEngine } from "../connect-engine.ts";
import { wholeNumber } from "../option-values.ts";
import { safe, table } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

const SHOWN = 100;

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
      session.print.document({ results }, () =>
        results.length === 0
          ? "no results"
          : table(
              ["ID", "DATE", "TRUST", "CONTENT"],
              results.map(({ id, created_at, trust, content }) => [id, dateOf(created_at), trust, short(content)]),
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
      session.print.document(page, () => describe(kind, page.items));
      if (page.next_cursor !== null && !session.print.json)
        session.print.note(`More: --cursor ${safe(page.next_cursor)}`);
    });
};

const ROWS: { readonly [List in MemoryList]: (item: MemoryItems[List]) => readonly (string | null)[] } = {
  episodes: ({ id, event_time, question, trust }) => [id, dateOf(event_time), trust, short(question)],
  knowledge: ({ id, created_at, content, trust, invalidated_at }) => [
    id,
    dateOf(created_at),
    trust,
    short(invalidated_at === null ? content : `(until ${dateOf(invalidated_at)}) ${content}`),
  ],
  social: ({ id, last_seen, name, type, trust, edges }) => [
    id,
    dateOf(last_seen),
    trust,
    short(`${name} (${type}), ${edges.length === 1 ? "1 relation" : `${edges.length} relations`}`),
  ],
  working: ({ id, created_at, entry_type, content }) => [
    id,
    dateOf(created_at),
    null,
    short(`${entry_type}: ${content}`),
  ],
  trajectories: ({ id, created_at, trust, outcome, steps, task_id }) => [
    id,
    dateOf(created_at),
    trust,
    short(`${outcome}, ${steps.length} calls, task ${task_id}`),
  ],
};

function describe<List extends MemoryList>(kind: List, items: readonly MemoryItems[List][]): string {
  if (items.length === 0) return "nothing yet";
  return table(["ID", "DATE", "TRUST", "CONTENT"], items.map(ROWS[kind]));
}

const dateOf = (time: string): string => time.slice(0, 16).replace("T", " ");

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1).toWellFormed()}…`;
}
