import type { MemoryFileEnd } from "../../src/client/records.ts";
import type { EngineClient } from "../../src/client/engine-client.ts";
import { withEngine } from "../connect-engine.ts";
import { contentOf } from "../local-content.ts";
import { type Printer, safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { writeLines } from "../write-lines.ts";

export const memoryExportCommand: CommandMaker = (memory, settings) => {
  memory
    .command("export <user>")
    .description("Export an engine's memory, conversations included, as lines of JSON")
    .option("-o, --output <file>", "the file to write; it appears when it is complete")
    .addHelpText("after", example("orchctl memory export alice --output alice.jsonl"))
    .action(async (user: string, { output }: { output?: string }, command) => {
      const session = sessionOf(command, settings);
      const counts = await withEngine(
        session,
        user,
        (engine) => (output === undefined ? printExport(engine, session.print) : writeExport(engine, output)),
        output === undefined ? null : `exporting the memory of ${user}`,
      );
      if (output === undefined) return;
      session.print.document({ file: output, counts }, () => `${safe(output)} has ${describeCounts(counts)}`);
    });
};

export const memoryImportCommand: CommandMaker = (memory, settings) => {
  memory
    .command("import <user> <file>")
    .description("Import another engine's export (- for standard input); existing records stay unchanged")
    .addHelpText("after", example("orchctl memory import bob alice.jsonl"))
    .action(async (user: string, file: string, _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const content = await contentOf(file);
      const answer = await withEngine(
        session,
        user,
        (engine) => engine.importMemory(content),
        `importing into the memory of ${user}`,
      );
      session.print.document(
        answer,
        () => `imported ${describeCounts(answer.imported)}; skipped ${describeCounts(answer.skipped)}`,
      );
    });
};

type Counts = Readonly<Record<string, number>>;

async function printExport(engine: EngineClient, print: Printer): Promise<Counts> {
  let counts: Counts = {};
  for await (const line of engine.exportMemory()) {
    if (line.type === "end") ({ counts } = line as MemoryFileEnd);
    print.record(line);
  }
  return counts;
}

async function writeExport(engine: EngineClient, file: string): Promise<Counts> {
  let counts: Counts = {};
  async function* lines() {
    for await (const line of engine.exportMemory()) {
      if (line.type === "end") ({ counts } = line as MemoryFileEnd);
      yield line;
    }
  }
  await writeLines(file, lines());
  return counts;
}

/** `3 episode, 2 knowledge`. */
function describeCounts(counts: Counts): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${safe(name)}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
