import type { MemoryFileLine } from "../contract/memory-file.ts";
import { OrchdError } from "./orchd-error.ts";
import { readLines } from "./read-lines.ts";

/** The lines of a memory file as they come. One that ends without the line that ends it was cut. */
export async function* memoryLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<MemoryFileLine> {
  let last: MemoryFileLine | undefined;
  for await (const line of readLines(chunks, { ends: "lf" })) {
    last = lineOf(line);
    yield last;
  }
  if (last?.type !== "end")
    throw new OrchdError({ code: "CONNECTION_LOST", message: "the export was cut before its end" });
}

function lineOf(line: string): MemoryFileLine {
  try {
    return JSON.parse(line) as MemoryFileLine;
  } catch (error) {
    throw new OrchdError({ code: "BAD_ANSWER", message: "a line of the export is no JSON", cause: error });
  }
}
