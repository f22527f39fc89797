import * as z from "zod/mini";
import { attachmentRecord, attachmentRecords } from "../../../contract/engine/attachment.ts";

export const anyObject = () => z.record(z.string(), z.unknown());
const answerPart = () =>
  z.union([
    z.looseObject({ kind: z.enum(["text", "thinking"]), text: z.string() }),
    z.looseObject({ kind: z.literal("tool_use"), id: z.string(), tool: z.string(), input: anyObject() }),
  ]);
const outcome = () =>
  z.looseObject({
    id: z.string(),
    tool: z.string(),
    isError: z.boolean(),
    attachments: z.exactOptional(attachmentRecords),
  });
const userPart = () =>
  z.union([
    z.object({ kind: z.literal("text"), text: z.string() }),
    z.object({ kind: z.literal("attachment"), file: attachmentRecord }),
    z.object({
      kind: z.literal("context"),
      name: z.string(),
      content: z.string(),
      ttl: z.enum(["turn", "task"]),
      repeated: z.exactOptional(z.literal(true)),
    }),
  ]);
/** Content of a message, by role. Attachments are references, without their bytes. */
export const CONTENT = {
  user: () => z.union([z.string(), z.array(userPart())]),
  assistant: () => z.array(answerPart()),
  tool: () => z.array(outcome()),
};
export const step = () => z.looseObject({ tool: z.string(), input: z.string(), output: z.string(), ok: z.boolean() });
export const usage = () =>
  z.looseObject({ inputTokens: z.number(), outputTokens: z.number(), cacheHitTokens: z.number() });
