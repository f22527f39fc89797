import * as z from "zod/mini";

/** `POST` of a {@link Forgotten}, with the control token: the broker asks the daemon anew before it answers. */
export const FORGET_PATH = "/control/forget";
/** Longer ones are refused. */
export const MAX_FORGET_BYTES = 64 * 1024;

const names = z.array(z.string().check(z.minLength(1), z.maxLength(300)));
/** `true`: all. */
const some = z.optional(z.union([names, z.literal(true)]));

/** What the daemon has changed, so that an earlier answer of it holds no longer. */
export const forgotten = z.strictObject({
  /** Of these engines alone. Left out: of every engine. */
  engines: z.optional(names),
  /** Whether the keys of engines hold, and whether budgets bind them. */
  keys: z.optional(z.literal(true)),
  /** Secrets, by name. */
  secrets: some,
  /** Logins at tool servers, by the server's name. */
  connections: some,
});
export type Forgotten = z.output<typeof forgotten>;

/** Everything that is known of an engine. */
export const forgottenEngine = (id: string): Forgotten => ({
  engines: [id],
  keys: true,
  secrets: true,
  connections: true,
});

/** Whether an answer about this engine is meant, and about this name. */
export const isForgotten = (
  engines: Forgotten["engines"],
  named: readonly string[] | true | undefined,
  { engine, name }: { readonly engine: string; readonly name: string },
): boolean => engines?.includes(engine) !== false && (named === true || named?.includes(name) === true);
