import type { MemoryItems, MemoryPage } from "./record-types.ts";
import type { KnowledgeHit, MemoryFileLine } from "./records.ts";
import { MEMORY_FILE_TYPE, type MemoryList } from "../contract/engine/memory-format.ts";
import * as routes from "./engine-routes.ts";
import { type CallOptions, type Service, openStream, withRetries } from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { type Calls, type OptionsOf, type Route, requestOf } from "./route.ts";
import { readLines } from "./sse-frames.ts";
import { LinkedAbort } from "./timeouts.ts";

/** The page of a list. */
export type ListOptions = OptionsOf<typeof routes.listKnowledge>;

/** All lists have the form of this one. */
const listOf = <List extends MemoryList>(
  list: List,
): Route<routes.ListKnowledgeParams, MemoryPage<MemoryItems[List]>> => ({
  method: "GET",
  path: `/memory/${list}`,
  query: ["limit", "cursor"],
});

/** The calls of a user's memory: list, search, export, correct and erase. */
export const memoryCalls = (service: Service, { call }: Calls) => ({
  /** One kind of memory, the newest first. */
  listMemory: <List extends MemoryList>(list: List, given: ListOptions = {}): Promise<MemoryPage<MemoryItems[List]>> =>
    call(listOf(list), given),

  searchKnowledge: async (given: OptionsOf<typeof routes.searchMemory>): Promise<readonly KnowledgeHit[]> =>
    (await call(routes.searchMemory, given)).results,

  /** The whole memory by lines: a header, records, and an end line. A missing end line is `CONNECTION_LOST`. */
  async *exportMemory({ signal }: CallOptions = {}): AsyncGenerator<MemoryFileLine> {
    const abort = new LinkedAbort(signal);
    const request = { ...requestOf(routes.exportMemory, {}), signal: abort.signal, type: MEMORY_FILE_TYPE };
    try {
      const open = () => openStream(service, request);
      yield* parseExport((await withRetries(service, { signal: abort.signal }, open)).chunks);
    } finally {
      abort.dispose();
    }
  },

  /** Erases the whole memory, conversations included. `TASK_BUSY` while a turn is in flight. */
  eraseMemory: (given: CallOptions = {}) => call(routes.eraseMemory, given),

  /** Ends a fact that is true no longer. Repeating it changes nothing. */
  endFact: (id: string, given: CallOptions = {}) => call(routes.endFact, { ...given, id }),

  /** The profile page of the user. */
  profile: (given: CallOptions = {}) => call(routes.getProfile, given),

  /** The line has this text from now on; no learning batch changes it. */
  correctProfileLine: (lineId: string, text: string, given: CallOptions = {}) =>
    call(routes.correctProfileLine, { ...given, lineId, text }),

  /** Deletes a line and ends the facts that it says. They do not come back from the same rounds. */
  async deleteProfileLine(lineId: string, given: CallOptions = {}): Promise<void> {
    await call(routes.deleteProfileLine, { ...given, lineId });
  },
});

async function* parseExport(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<MemoryFileLine> {
  let last: MemoryFileLine | undefined;
  for await (const line of readLines(chunks)) {
    last = parseLine(line);
    yield last;
  }
  if (last?.type !== "end")
    throw new OrchdError({ code: "CONNECTION_LOST", message: "the export was cut before its end line" });
}

function parseLine(line: string): MemoryFileLine {
  try {
    return JSON.parse(line) as MemoryFileLine;
  } catch (error) {
    throw new OrchdError({ code: "BAD_ANSWER", message: "a line of the export is not JSON", cause: error });
  }
}
