import { createWriteStream, openAsBlob } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { EngineClient } from "../../src/client/engine-client.ts";
import type { MemoryFileEnd } from "../../src/contract/memory-file.ts";
import { withEngine } from "../engine-of.ts";
import { CliFailure } from "../exit-codes.ts";
import { type Printer, safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const memoryExportCommand: CommandMaker = (memory, settings) => {
  memory
    .command("export <user>")
    .description("Everything an engine remembers, its conversations too, as lines of JSON")
    .option("-o, --output <file>", "into this file; it appears when it is whole")
    .addHelpText("after", example("orchctl memory export alice --output alice.jsonl"))
    .action(async (user: string, { output }: { output?: string }, command) => {
      const session = sessionOf(command, settings);
      const counts = await withEngine(session, user, (engine) =>
        output === undefined ? printed(engine, session.print) : writtenTo(engine, output),
      );
      if (output === undefined) return;
      session.print.document({ file: output, counts }, () => `${safe(output)} has ${told(counts)}`);
    });
};

export const memoryImportCommand: CommandMaker = (memory, settings) => {
  memory
    .command("import <user> <file>")
    .description("Take over what another engine exported; what is there already stays as it is (- for standard input)")
    .addHelpText("after", example("orchctl memory import bob alice.jsonl"))
    .action(async (user: string, file: string, _options: unknown, command) => {
      const session = sessionOf(command, settings);
      const content = await contentOf(file);
      const answer = await withEngine(session, user, (engine) => engine.importMemory(content));
      session.print.document(
        answer,
        () => `imported ${told(answer.imported)}; there already, or left out: ${told(answer.skipped)}`,
      );
    });
};

type Counts = Readonly<Record<string, number>>;

async function printed(engine: EngineClient, print: Printer): Promise<Counts> {
  let counts: Counts = {};
  for await (const line of engine.exportMemory()) {
    if (line.type === "end") ({ counts } = line as MemoryFileEnd);
    print.record(line);
  }
  return counts;
}

/** Nobody takes a file that was cut for one that is whole. */
async function writtenTo(engine: EngineClient, file: string): Promise<Counts> {
  const part = `${file}.part`;
  let counts: Counts = {};
  async function* lines() {
    for await (const line of engine.exportMemory()) {
      if (line.type === "end") ({ counts } = line as MemoryFileEnd);
      yield `${JSON.stringify(line)}\n`;
    }
  }
  try {
    await pipeline(Readable.from(lines()), createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
    return counts;
  } catch (error) {
    await rm(part, { force: true });
    if (error instanceof Error && "syscall" in error)
      throw new CliFailure("usage", `${file} cannot be written (${error.message})`);
    throw error;
  }
}

async function contentOf(file: string): Promise<Blob | ReadableStream<Uint8Array>> {
  if (file === "-") return Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  try {
    return await openAsBlob(file);
  } catch (error) {
    throw new CliFailure("usage", `${file} cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
}

/** `3 episode, 2 knowledge`. */
function told(counts: Counts): string {
  const words = Object.entries(counts).map(([name, count]) => `${count} ${safe(name)}`);
  return words.length === 0 ? "nothing" : words.join(", ");
}
