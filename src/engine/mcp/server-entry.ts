import * as z from "zod/mini";
import { readHostPattern } from "../../sandbox/proxy.ts";
import type { SandboxRequest } from "../../sandbox/programs.ts";
import { identityRequest } from "../tools/web/identity-source.ts";
import { type SandboxPlaces, readSandboxPath } from "./sandbox-path.ts";

export type Variables = Readonly<Record<string, string>>;

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
/** What a login asks for. An unknown field is an error, because it might be meant to restrict. */
const oauth = z.strictObject(
  {
    scopes: z.optional(
      z.array(z.string(SCOPE).check(z.regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/, SCOPE)), SCOPE).check(z.maxLength(64)),
    ),
    client_id: z.optional(z.string().check(z.minLength(1), z.maxLength(2048))),
  },
  {
    error: ({ code, keys }) =>
      code === "unrecognized_keys"
        ? `unknown field ${String(keys)}; expected scopes or client_id`
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

/**
 * Expands `${VAR}` and `${VAR:-default}` in every text of an entry, from the variables and, outside `env`, from the
 * entry's own `env`. A variable without a value is a problem.
 */
export function expandEntry(
  entry: ServerEntry,
  variables: Variables,
): { readonly expanded: ServerEntry; readonly problems: readonly EntryProblem[] } {
  const problems: EntryProblem[] = [];
  const expand = (known: Variables, path: readonly string[]) => (text: string) => {
    const { value, unknown } = expandVariables(text, known);
    for (const variable of unknown) problems.push([path, `\${${variable}} has no value here`]);
    return value;
  };
  const each = (known: Variables, field: string, values: Variables = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, text]) => [key, expand(known, [field, key])(text)]));
  const env = each(variables, "env", entry.env);
  const known = { ...variables, ...env };
  const one = (field: "command" | "cwd" | "url") =>
    entry[field] === undefined ? {} : { [field]: expand(known, [field])(entry[field]) };
  const all = (texts: readonly string[] | undefined, ...path: readonly string[]) =>
    texts?.map((text, index) => expand(known, [...path, String(index)])(text));
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
    headers: each(known, "headers", entry.headers),
  };
  return { expanded, problems };
}

function expandVariables(
  text: string,
  known: Variables,
): { readonly value: string; readonly unknown: readonly string[] } {
  const unknown: string[] = [];
  const value = text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (match, name: string, fallback: string | undefined) => {
      const found = Object.hasOwn(known, name) ? known[name] : fallback;
      if (found === undefined) unknown.push(name);
      return found ?? match;
    },
  );
  return { value, unknown };
}

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
