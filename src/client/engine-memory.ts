import type { LearningBatch } from "../contract/engine-records.ts";
import {
  MEMORY_FILE_TYPE,
  type MemoryErased,
  type MemoryFileLine,
  type MemoryImported,
} from "../contract/memory-file.ts";
import type {
  MemoryItems,
  MemoryList,
  MemoryPage,
  SkillDecided,
  SkillDraftRecord,
} from "../contract/memory-records.ts";
import { queryOf } from "./address.ts";
import {
  type CallOptions,
  type RequestParams,
  type Service,
  callJson,
  isStream,
  openStream,
  withRetries,
} from "./http-call.ts";
import { OrchdError } from "./orchd-error.ts";
import { readLines } from "./sse-frames.ts";
import { LinkedAbort } from "./timeouts.ts";

export interface ListOptions extends CallOptions {
  readonly limit?: number | undefined;
  /** The `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface ImportOptions extends CallOptions {
  /** The time limit of upload and import; one hour by default. */
  readonly deadlineMs?: number | undefined;
}

const LONG_MS = 3600_000;

/** An engine's memory calls: list, export, import, erase and learn. */
export function memoryCalls(service: Service) {
  const call = <T>(
    method: RequestParams["method"],
    path: string,
    more: Partial<RequestParams>,
    { repeatable = true }: { readonly repeatable?: boolean } = {},
  ) => callJson<T>(service, { method, path, ...more }, { repeatable });
  const once = { repeatable: false };

  return {
    /** One kind of memory, the newest first. */
    listMemory: <List extends MemoryList>(list: List, { limit, cursor, signal }: ListOptions = {}) =>
      call<MemoryPage<MemoryItems[List]>>("GET", `/memory/${list}${queryOf({ limit, cursor })}`, { signal }),

    /** The whole memory by lines: a header, records, and an end line. A missing end line is `CONNECTION_LOST`. */
    async *exportMemory({ signal }: CallOptions = {}): AsyncGenerator<MemoryFileLine> {
      const abort = new LinkedAbort(signal);
      const request = {
        method: "GET",
        path: "/memory/export",
        signal: abort.signal,
        type: MEMORY_FILE_TYPE,
      } as const;
      try {
        const open = () => openStream(service, request);
        yield* parseExport((await withRetries(service, { signal: abort.signal }, open)).chunks);
      } finally {
        abort.dispose();
      }
    },

    /** Imports lines of `exportMemory` in one transaction. Existing records stay unchanged. */
    importMemory: (
      content: Blob | string | ReadableStream<Uint8Array>,
      { signal, deadlineMs = LONG_MS }: ImportOptions = {},
    ) =>
      call<MemoryImported>(
        "POST",
        "/memory/import",
        { upload: { content, type: MEMORY_FILE_TYPE }, signal, deadlineMs },
        { repeatable: !isStream(content) },
      ),

    /** Erases the whole memory, conversations included. `TASK_BUSY` while a turn is in flight. */
    eraseMemory: ({ signal }: CallOptions = {}) =>
      call<MemoryErased>("DELETE", "/memory", { signal, deadlineMs: LONG_MS }, once),

    /** Runs a learning batch and waits for it. Not retried after a lost response, which would start a second one. */
    triggerLearning: ({ signal }: CallOptions = {}) =>
      call<LearningBatch>("POST", "/admin/lc/trigger", { signal, deadlineMs: LONG_MS }, once),

    /** Skills drafted by learning. The engine uses none before it is allowed. */
    async skillDrafts({ signal }: CallOptions = {}): Promise<readonly SkillDraftRecord[]> {
      return (await call<{ skills: readonly SkillDraftRecord[] }>("GET", "/memory/skills", { signal })).skills;
    },

    /** Ends a fact that is true no longer. Repeating it changes nothing. */
    endFact: (id: string, { signal }: CallOptions = {}) =>
      call<{ readonly id: string; readonly ended: true }>("POST", "/memory/knowledge/end", { body: { id }, signal }),

    decideSkill: (id: string, decision: "allow" | "refuse", { signal }: CallOptions = {}) =>
      call<SkillDecided>("POST", "/memory/skills/decide", { body: { id, decision }, signal }),
  };
}

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
