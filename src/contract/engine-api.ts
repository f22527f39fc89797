import * as z from "zod/mini";
import { byteLength, characters, integer, keptJson, opaqueId, wellFormedText } from "../shared/parse.ts";
import { DEFAULT_ATTACHMENT_LIMITS } from "./attachment-records.ts";
import { messageContent } from "./attachments.ts";

export * from "./engine-records.ts";

/** The body limit for the longest text, even fully escaped, with attachments of `mb` MiB in base64. */
export const executeBodyBytes = (mb: number): number => 2 * 1024 * 1024 + Math.ceil((mb * 4) / 3) * 1024 * 1024;

/** Bytes of request bodies. That of `execute` depends on the policy; this is the default policy's. */
export const ENGINE_BODY_BYTES = {
  execute: executeBodyBytes(DEFAULT_ATTACHMENT_LIMITS.mb),
  respond: 1024 * 1024,
  other: 64 * 1024,
} as const;
/** Limits of every JSON body. Fields, list items, objects and lists count as values. */
export const ENGINE_BODY_LIMITS = { maxValues: 10_000, maxDepth: 64 } as const;

/** The catalog's agent for calls that name none. */
export const DEFAULT_AGENT = "default";

export const taskId = opaqueId(1, 256);

export const executeRequest = z.object({
  message: messageContent,
  task_id: taskId,
  agent: z.optional(characters(1, 64)),
  thinking: z.optional(z.boolean()),
  max_steps: z.optional(integer(1, 1000)),
  on_disconnect: z.optional(z.enum(["continue", "cancel"])),
  metadata: z.optional(keptJson()),
});
export type ExecuteRequest = z.output<typeof executeRequest>;

export const cancelRequest = z.object({ task_id: taskId });

const REQUEST_ID = "expected an id with the prefix hitl-";
export const hitlRespondRequest = z.object({
  request_id: z.string(REQUEST_ID).check(z.regex(/^hitl-/, REQUEST_ID)),
  answer: wellFormedText("expected a string of 1 to 100,000 characters").check(z.minLength(1), z.maxLength(100_000)),
});

/** Allows changed tools of a server: the named tool with its listed definition, or all held tools. */
export const allowToolsRequest = z.object({
  server: characters(1, 256),
  tool: z.optional(characters(1, 1000)),
  definition: z.optional(z.string().check(z.regex(/^[0-9a-f]{64}$/, "expected the definition as it is listed"))),
});

export const instant = () =>
  z.string().check(
    z.refine((text) => /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text)), {
      error: "expected a date such as 2026-03-31, or a time in ISO 8601 with its offset",
    }),
  );

export const knowledgeSearchRequest = z.object({
  query: z.string().check(
    z.refine((text) => byteLength(text) >= 1 && byteLength(text) <= 10 * 1024, {
      error: "expected 1 byte to 10 kB of UTF-8",
    }),
  ),
  limit: z.optional(integer(1, 100)),
  kinds: z.optional(z.array(z.enum(["episode", "fact", "note"])).check(z.minLength(1), z.maxLength(3))),
  /** Only results with this relevance verdict. */
  bearing: z.optional(z.enum(["answers", "touches"])),
  /** Searches the memory as it was at this time. */
  as_of: z.optional(instant()),
  from: z.optional(instant()),
  /** Exclusive. A date includes the whole day. */
  to: z.optional(instant()),
});

/** A person's statement that a fact is no longer true. */
export const endFactRequest = z.object({
  id: z.string("expected the id of a fact").check(z.regex(/^kn_/, "expected an id with the prefix kn_")),
});

/** A person's decision about a drafted skill. */
export const decideSkillRequest = z.object({
  id: z.string("expected the id of a drafted skill").check(z.regex(/^sd_/, "expected an id with the prefix sd_")),
  decision: z.enum(["allow", "refuse"], { error: "expected allow or refuse" }),
});
