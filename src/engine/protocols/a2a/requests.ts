import * as z from "zod/mini";
import { taskId } from "../../../contract/engine/requests.ts";
import { characters, integer } from "../../../shared/parse.ts";

const id = characters(1, 256);
/** Clients write what they leave out as an empty text, too. */
const orEmpty = <T extends z.ZodMiniType>(schema: T) => z.optional(z.union([z.literal(""), schema]));
const metadata = z.optional(z.nullable(z.record(z.string(), z.unknown())));
const historyLength = z.optional(integer(0, 1_000_000));

export const part = z.looseObject({
  text: z.optional(z.string()),
  raw: z.optional(z.string()),
  url: z.optional(z.string()),
  data: z.optional(z.unknown()),
  filename: z.optional(z.string()),
  mediaType: z.optional(z.string()),
});
export type Part = z.output<typeof part>;

export const sendParams = z.object({
  message: z.looseObject({
    messageId: characters(1, 255),
    contextId: orEmpty(taskId),
    taskId: orEmpty(id),
    role: z.literal("ROLE_USER"),
    parts: z.array(part).check(z.minLength(1), z.maxLength(256)),
    metadata,
  }),
  configuration: z.optional(
    z.looseObject({
      historyLength,
      returnImmediately: z.optional(z.boolean()),
      taskPushNotificationConfig: z.optional(z.unknown()),
    }),
  ),
  metadata,
});
export type SendParams = z.output<typeof sendParams>;

export const getParams = z.object({ id, historyLength });
export const taskParams = z.object({ id });

export const STATES = [
  "TASK_STATE_UNSPECIFIED",
  "TASK_STATE_SUBMITTED",
  "TASK_STATE_WORKING",
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_AUTH_REQUIRED",
] as const;
export type State = (typeof STATES)[number];

export const listParams = z.object({
  contextId: orEmpty(taskId),
  status: z.optional(z.enum(STATES)),
  pageSize: z.optional(integer(1, 100)),
  pageToken: orEmpty(id),
  historyLength,
  statusTimestampAfter: orEmpty(
    z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text)), { error: "expected a time in ISO 8601" })),
  ),
  includeArtifacts: z.optional(z.boolean()),
});
export type ListParams = z.output<typeof listParams>;
