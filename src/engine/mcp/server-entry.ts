import * as z from "zod/mini";
import { readHostPattern } from "../../sandbox/proxy.ts";
import type { SandboxRequest } from "../../sandbox/programs.ts";
import { identityRequest } from "../tools/web/identity-source.ts";
import { type CallHeaders, partedHeaders } from "./call-headers.ts";
import { type TextPlace, type Variables, expandText } from "./expand-text.ts";
import { type SandboxPlaces, readSandboxPath } from "./sandbox-path.ts";

const START_TIMEOUT = { error: "expected a whole number from 1 to 3600" };
const texts = z.record(z.string(), z.string());
const NETWORK = { error: 'expected "open", "none" or a list of hosts' };
const PATHS = { error: "expected a list of paths" };
const paths = z.optional(z.array(z.string(PATHS).check(z.minLength(1, PATHS)), PATHS));

/** What a local server may use. An unknown field is an error, because it might be meant to restrict. */
const sandbox = z.strictObject(
  {
    network: z.optional(z.union([z.enum(["open", "none"]), z.array(z.string())], NETWORK)),
    write: paths,
    read: paths,
  },
  {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `unknown field ${String(keys)}; expected network, write or read`
        : "expected an object",
  },
);

const SCOPE = { error: "expected a list of scopes" };
/** The value itself has no place in a catalog. */
const VAULT = { error: "expected ${secret:NAME}, with the name of a secret of the vault" };
export const IN_VAULT = /^\$\{secret:([A-Za-z][A-Za-z0-9_]{0,63})\}$/;
/** What a login asks for. An unknown field is an error, because it might be meant to restrict. */
const oauth = z.strictObject(
  {
    scopes: z.optional(
      z.array(z.string(SCOPE).check(z.regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, SCOPE)), SCOPE).check(z.maxLength(64)),
    ),
    client_id: z.optional(z.string().check(z.minLength(1), z.maxLength(2048))),
    client_secret: z.optional(z.string(VAULT).check(z.regex(IN_VAULT, VAULT))),
  },
  {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `unknown field ${String(keys)}; expected scopes, client_id or client_secret`
        : "expected an object",
  },
);

/** One entry of `mcpServers`; fields of other programs are ignored. */
export const serverEntry = z.object({
  type: z.optional(z.enum(["stdio", "http", "streamable-http", "streamableHttp", "sse"])),
  command: z.optional(z.string().check(z.minLength(1))),
  args: z.optional(z.array(z.string())),
  env: z.optional(texts),
  cwd: z.optional(z.string().check(z.minLength(1))),
  url: z.optional(z.string()),
  headers: z.optional(texts),
  login: z.optional(z.literal("oauth", { error: 'expected "oauth"' })),
  oauth: z.optional(oauth),
  identity: z.optional(identityRequest),
  disabled: z.optional(z.boolean()),
  permissions: z.optional(z.record(z.string(), z.enum(["allow", "ask", "deny"]))),
  pin: z.optional(z.boolean()),
  always_load: z.optional(
    z.union([z.boolean(), z.array(z.string())], { error: "expected true, false or a list of the server's tools" }),
  ),
  sandbox: z.optional(sandbox),
  start_timeout_s: z.optional(z.int(START_TIMEOUT).check(z.gte(1, START_TIMEOUT), z.lte(3600, START_TIMEOUT))),
});
export type ServerEntry = z.output<typeof serverEntry>;

export type EntryProblem = readonly [path: readonly string[], message: string];

/** What the texts of entries stand for. */
export interface EntryValues {
  /** The only variables besides an entry's own `env`. */
  readonly variables: Variables;
  /** What `{{name}}` of the engine is; undefined for a key of the user that is not set. */
  readonly factOf: (name: string) => string | undefined;
}

/** An entry without variables, and the headers that differ between calls. */
interface Expansion {
  readonly expanded: ServerEntry;
  readonly callHeaders: CallHeaders;
  readonly problems: readonly EntryProblem[];
}

/**
 * Expands `${VAR}` and `${VAR:-default}` in every text of an entry, from the variables and, outside `env`, from the
 * entry's own `env`; `{{user_id}}` and its like in `env` and headers. What has no value is a problem, but a variable or
 * header with a key that the user does not have is left out. Values are not expanded again.
 */
export function expandEntry(entry: ServerEntry, { variables, factOf }: EntryValues): Expansion {
  const problems: EntryProblem[] = [];
  const expand = (known: Variables, path: readonly string[]) => (text: string) => {
    const { value, found } = expandText(text, { known, factOf, place: placeOf(path) });
    for (const message of found) problems.push([path, message]);
    return value;
  };
  const each = (known: Variables, field: string, values: Variables = {}) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([key, text]) => {
        const value = expand(known, [field, key])(text);
        return value === null ? [] : [[key, value]];
      }),
    );
  const env = each(variables, "env", entry.env);
  const known = { ...variables, ...env };
  const text = (given: string, ...path: readonly string[]) => expand(known, path)(given) ?? "";
  const one = (field: "command" | "cwd" | "url") =>
    entry[field] === undefined ? {} : { [field]: text(entry[field], field) };
  const all = (texts: readonly string[] | undefined, ...path: readonly string[]) =>
    texts?.map((given, index) => text(given, ...path, String(index)));
  const { headers, callHeaders } = partedHeaders(each(known, "headers", entry.headers));
  const expanded = {
    ...entry,
    ...one("command"),
    ...one("cwd"),
    ...one("url"),
    args: all(entry.args, "args"),
    ...(entry.sandbox && {
      sandbox: {
        ...entry.sandbox,
        write: all(entry.sandbox.write, "sandbox", "write"),
        read: all(entry.sandbox.read, "sandbox", "read"),
      },
    }),
    env,
    headers,
  };
  return { expanded, callHeaders, problems };
}

const placeOf = ([field]: readonly string[]): TextPlace => (field === "env" || field === "headers" ? field : "other");

/** An entry's `sandbox` with absolute paths, and each of its problems. */
export function readServerSandbox(
  { network, write, read }: NonNullable<ServerEntry["sandbox"]>,
  places: SandboxPlaces,
): { readonly sandbox: SandboxRequest; readonly problems: readonly EntryProblem[] } {
  const problems: EntryProblem[] = [];
  const absolute = (access: "read" | "write", paths: readonly string[]) =>
    paths.map((text, index) => {
      const { path, problem } = readSandboxPath(text, { access, places });
      if (problem !== null) problems.push([["sandbox", access, String(index)], problem]);
      return path;
    });
  if (Array.isArray(network)) {
    for (const [index, text] of network.entries()) {
      const { problem } = readHostPattern(text);
      if (problem !== null) problems.push([["sandbox", "network", String(index)], problem]);
    }
  }
  const sandbox = {
    ...(network !== undefined && { network }),
    ...(write !== undefined && { write: absolute("write", write) }),
    ...(read !== undefined && { read: absolute("read", read) }),
  };
  return { sandbox, problems };
}
