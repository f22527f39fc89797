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
import type { LearningBatch } from "../contract/engine-records.ts";
import { queryOf } from "./address.ts";
import { type CallOptions, type Service, ask, isStream, openStream, persistently } from "./http-call.ts";
import { memoryLines } from "./memory-lines.ts";
import { LinkedAbort } from "./waiting.ts";

export interface ListOptions extends CallOptions {
  readonly limit?: number | undefined;
  /** The `next_cursor` of the page before. */
  readonly cursor?: string | undefined;
}

export interface ImportOptions extends CallOptions {
  /** Until all is sent and taken over; an hour when left out. */
  readonly deadlineMs?: number | undefined;
}

const LONG_MS = 3600_000;

/** An engine's calls that show, give, take and erase what it remembers. */
export function memoryCalls(service: Service) {
  return {
    /** One kind of what is remembered, the newest first. */
    listMemory: <List extends MemoryList>(list: List, { limit, cursor, signal }: ListOptions = {}) =>
      ask<MemoryPage<MemoryItems[List]>>(service, {
        method: "GET",
        path: `/memory/${list}${queryOf({ limit, cursor })}`,
        signal,
      }),

    /** Everything, line by line: a header, records, and the line that ends it. Throws when it was cut before that. */
    async *exportMemory({ signal }: CallOptions = {}): AsyncGenerator<MemoryFileLine> {
      const leash = new LinkedAbort(signal);
      const wish = { method: "GET", path: "/memory/export", signal: leash.signal } as const;
      try {
        const open = () => openStream(service, wish, MEMORY_FILE_TYPE);
        yield* memoryLines((await persistently(service, { signal: leash.signal }, open)).chunks);
      } finally {
        leash.dispose();
      }
    },

    /** Takes what `exportMemory` gave, as lines of JSON; what is there already stays as it is. All of it or nothing. */
    importMemory: (
      content: Blob | string | ReadableStream<Uint8Array>,
      { signal, deadlineMs = LONG_MS }: ImportOptions = {},
    ) =>
      ask<MemoryImported>(
        service,
        { method: "POST", path: "/memory/import", upload: { content, type: MEMORY_FILE_TYPE }, signal, deadlineMs },
        { repeatable: !isStream(content) },
      ),

    /** Erases everything that is remembered, conversations too; refused while a turn is in flight. */
    eraseMemory: ({ signal }: CallOptions = {}) =>
      ask<MemoryErased>(
        service,
        { method: "DELETE", path: "/memory", signal, deadlineMs: LONG_MS },
        { repeatable: false },
      ),

    /** Runs a learning batch and waits for it; one whose answer is lost is not begun twice. */
    triggerLearning: ({ signal }: CallOptions = {}) =>
      ask<LearningBatch>(
        service,
        { method: "POST", path: "/admin/lc/trigger", signal, deadlineMs: LONG_MS },
        { repeatable: false },
      ),

    /** Skills that learning has drafted; nobody uses one before it is allowed. */
    async skillDrafts({ signal }: CallOptions = {}): Promise<readonly SkillDraftRecord[]> {
      const path = "/memory/skills";
      return (await ask<{ skills: readonly SkillDraftRecord[] }>(service, { method: "GET", path, signal })).skills;
    },

    decideSkill: (id: string, decision: "allow" | "refuse", { signal }: CallOptions = {}) =>
      ask<SkillDecided>(service, { method: "POST", path: "/memory/skills/decide", body: { id, decision }, signal }),
  };
}
