import * as z from "zod/mini";

const MAX_ID = 4096;
const schema = z.object({
  /** The id and the progress token of the request that the stream answers. */
  request: z.union([z.string(), z.number()]),
  progress: z.optional(z.union([z.string(), z.number()])),
  task: z.string(),
  /** The message that the request sent. A turn is known once it has taken it. */
  message: z.optional(z.string()),
  turn: z.optional(z.string()),
  /** The last event of the turn that the client has. */
  seq: z.number(),
});

/** Where a stream of the revisions until 2025-11-25 stands. It is the `id` of a frame, from which any engine continues. */
export type StreamPosition = z.output<typeof schema>;

export const writeEventId = (position: StreamPosition): string =>
  Buffer.from(JSON.stringify(position)).toString("base64url");

/** Null for an id that is not of such a frame. */
export function readEventId(text: string): StreamPosition | null {
  if (text.length > MAX_ID) return null;
  try {
    return z.parse(schema, JSON.parse(Buffer.from(text, "base64url").toString()));
  } catch {
    return null;
  }
}
