import { basename } from "node:path";
import * as z from "zod/mini";
import { type Variables, expandVariables } from "./variables.ts";

/** Whether a call of a tool needs a person's leave; a denied tool is not offered at all. */
export type ServerPermission = "allow" | "ask" | "deny";

interface Common {
  readonly name: string;
  /** By the server's own name of a tool; `*` for those not named. */
  readonly permissions: Readonly<Record<string, ServerPermission>>;
  /** Whether a tool whose definition changes is held back. */
  readonly pin: boolean;
  /** How long it may take from its start to its first answer. */
  readonly startTimeoutMs: number;
}

export type StdioServerConfig = Common & {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workspace. */
  readonly cwd: string;
};
export type HttpServerConfig = Common & {
  readonly transport: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};
export type ServerConfig = StdioServerConfig | HttpServerConfig;

export interface InvalidServer {
  /** Null when the whole file cannot be read. */
  readonly name: string | null;
  readonly transport: ServerConfig["transport"];
  readonly path: string;
  readonly message: string;
}

/** What a `.mcp.json` says: the servers that can be used, and each entry that cannot with its path and why. */
export interface ServersConfig {
  readonly servers: readonly ServerConfig[];
  readonly errors: readonly InvalidServer[];
}

export const NO_SERVERS: ServersConfig = { servers: [], errors: [] };

const FILE = ".mcp.json";
const MAX_SERVERS = 50;
const START_TIMEOUT_S = 30;
/** What a package runner starts may have to be downloaded and installed first. */
const INSTALL_TIMEOUT_S = 300;
const PACKAGE_RUNNER = /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|uv|uvx|pipx|docker|podman)(?:\.\w+)?$/;
const START_TIMEOUT = { error: "expected a whole number from 1 to 3600" };

const texts = z.record(z.string(), z.string());
const entry = z.object({
  type: z.optional(z.enum(["stdio", "http", "streamable-http", "streamableHttp", "sse"])),
  command: z.optional(z.string().check(z.minLength(1))),
  args: z.optional(z.array(z.string())),
  env: z.optional(texts),
  cwd: z.optional(z.string().check(z.minLength(1))),
  url: z.optional(z.string()),
  headers: z.optional(texts),
  disabled: z.optional(z.boolean()),
  permissions: z.optional(z.record(z.string(), z.enum(["allow", "ask", "deny"]))),
  pin: z.optional(z.boolean()),
  start_timeout_s: z.optional(z.int(START_TIMEOUT).check(z.gte(1, START_TIMEOUT), z.lte(3600, START_TIMEOUT))),
});
type Entry = z.output<typeof entry>;

/**
 * Reads the text of a `.mcp.json`. `${VAR}` and `${VAR:-default}` in it stand for the given variables and the entry's
 * own `env`, and for nothing else. What other programs keep in such a file is ignored.
 */
export function parseToolServers(text: string, variables: Variables): ServersConfig {
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    return whole(`expected JSON: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}`);
  }
  if (!isObject(file)) return whole("expected a JSON object");
  const listed = file["mcpServers"] ?? {};
  if (!isObject(listed)) return whole("mcpServers: expected an object");
  const entries = Object.entries(listed);
  if (entries.length > MAX_SERVERS) return whole(`mcpServers: expected at most ${MAX_SERVERS} servers`);
  const servers: ServerConfig[] = [];
  const errors: InvalidServer[] = [];
  for (const [name, value] of entries) {
    const read = readEntry(name, value, variables);
    if (read.kind === "server") servers.push(read.server);
    if (read.kind === "bad") errors.push(...read.problems.map((problem) => bad(name, value, problem)));
  }
  return { servers, errors };
}

const whole = (message: string): ServersConfig => ({
  servers: [],
  errors: [{ name: null, transport: "stdio", path: FILE, message }],
});

const bad = (name: string, value: unknown, [path, message]: Problem): InvalidServer => ({
  name,
  transport: isObject(value) && value["url"] !== undefined ? "http" : "stdio",
  path: FILE,
  message: `${["mcpServers", name, ...path].join(".")}: ${message}`,
});

type Problem = readonly [path: readonly string[], message: string];
type Read =
  | { readonly kind: "server"; readonly server: ServerConfig }
  | { readonly kind: "disabled" }
  | { readonly kind: "bad"; readonly problems: readonly Problem[] };

const problem = (path: readonly string[], message: string): Read => ({ kind: "bad", problems: [[path, message]] });

function readEntry(name: string, value: unknown, variables: Variables): Read {
  if (!/^[^\p{Cc}\p{Cs}]{1,64}$/u.test(name)) return problem([], "expected a name of 1 to 64 printable characters");
  const parsed = z.safeParse(entry, value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }): Problem => [path.map(String), message]);
    return { kind: "bad", problems };
  }
  if (parsed.data.disabled === true) return { kind: "disabled" };
  const missing: Problem[] = [];
  const expanded = expandEntry(parsed.data, variables, missing);
  return missing.length > 0 ? { kind: "bad", problems: missing } : toServer(name, expanded);
}

/** Every text in which variables may stand, with their values; each that has none is noted. */
function expandEntry(wish: Entry, variables: Variables, missing: Problem[]): Entry {
  const expand = (known: Variables, path: readonly string[]) => (text: string) => {
    const { value, unknown } = expandVariables(text, known);
    for (const variable of unknown) missing.push([path, `\${${variable}} has no value here`]);
    return value;
  };
  const each = (known: Variables, field: string, values: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, text]) => [key, expand(known, [field, key])(text)]));
  const env = each(variables, "env", wish.env);
  const known = { ...variables, ...env };
  const one = (field: "command" | "cwd" | "url") =>
    wish[field] === undefined ? {} : { [field]: expand(known, [field])(wish[field]) };
  return {
    ...wish,
    ...one("command"),
    ...one("cwd"),
    ...one("url"),
    args: wish.args?.map((text, index) => expand(known, ["args", String(index)])(text)),
    env,
    headers: each(known, "headers", wish.headers),
  };
}

function toServer(name: string, wish: Entry): Read {
  const { type, command, args = [], env = {}, cwd = ".", url, headers = {}, permissions = {}, pin = true } = wish;
  const timeoutS = wish.start_timeout_s ?? (isPackageRunner(command) ? INSTALL_TIMEOUT_S : START_TIMEOUT_S);
  const common = { name, permissions, pin, startTimeoutMs: timeoutS * 1000 };
  const remote = type === undefined ? url !== undefined : type !== "stdio";
  if (remote) {
    if (command !== undefined) return problem(["command"], "expected no command beside a url");
    if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
      return problem(["url"], "expected an http or https address");
    for (const [key, value] of Object.entries(headers)) {
      const wrong = wrongHeader(key, value);
      if (wrong !== null) return problem(["headers", key], wrong);
    }
    return { kind: "server", server: { ...common, transport: type === "sse" ? "sse" : "http", url, headers } };
  }
  if (url !== undefined) return problem(["url"], "expected no url beside a command");
  if (command === undefined) return problem(["command"], "expected a command, or a url");
  const textWithNul = [command, ...args, cwd, ...Object.entries(env).flat()].some((text) => text.includes("\0"));
  if (textWithNul) return problem([], "expected no NUL character");
  if (Object.keys(env).some((key) => key === "" || key.includes("=")))
    return problem(["env"], "expected names of variables");
  return { kind: "server", server: { ...common, transport: "stdio", command, args, env, cwd } };
}

const isPackageRunner = (command: string | undefined): boolean =>
  command !== undefined && PACKAGE_RUNNER.test(basename(command));

/** A value may be a secret and is not shown. */
function wrongHeader(key: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key))
    return "expected a header's name: ASCII letters, digits and !#$%&'*+.^_`|~- only";
  return /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value) ? null : "expected a value of ASCII signs only, in one line";
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
