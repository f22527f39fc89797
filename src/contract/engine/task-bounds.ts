import * as z from "zod/mini";
import { opaqueId } from "../../shared/parse.ts";
import { field } from "../record.ts";

/** Of the ids and the prefix together, as JSON. They travel in a header and in the token. */
export const MAX_TASK_BOUNDS_BYTES = 1024;

const ONE = "expected either ids or prefix";

/** The tasks that a token of an end user is for. */
export const taskBounds = z
  .object({
    ids: field(z.optional(z.array(opaqueId(1, 256)).check(z.minLength(1))), "These tasks.", ["lesson-1"]),
    prefix: field(z.optional(opaqueId(1, 256)), "Tasks whose id begins with this.", "course-7/"),
  })
  .check(z.refine(({ ids, prefix }) => (ids === undefined) !== (prefix === undefined), { error: ONE }));
export type TaskBounds = z.output<typeof taskBounds>;

/** By code units, as ids are compared elsewhere. */
export const permitsTask = ({ ids, prefix }: TaskBounds, taskId: string): boolean =>
  prefix === undefined ? (ids?.includes(taskId) ?? false) : taskId.startsWith(prefix);

/**
 * The engine's key for calls that reach only these tasks, instead of `X-Engine-Key`: the key, a blank, and the bounds. An
 * engine of an earlier release does not know the header and refuses the call.
 */
export const BOUND_KEY_HEADER = "X-Bound-Engine-Key";

export const writeBoundKey = (key: string, bounds: TaskBounds): string =>
  `${key} ${Buffer.from(JSON.stringify(bounds)).toString("base64url")}`;

/** Null for a text of another form. */
export function readBoundKey(text: string): { readonly key: string; readonly bounds: TaskBounds } | null {
  const [key = "", encoded = ""] = text.split(" ");
  try {
    const bounds = taskBounds.safeParse(JSON.parse(Buffer.from(encoded, "base64url").toString()));
    return bounds.success ? { key, bounds: bounds.data } : null;
  } catch {
    return null;
  }
}
