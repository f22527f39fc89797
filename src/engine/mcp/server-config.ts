import { basename } from "node:path";
import { isRecord } from "../../shared/json-values.ts";
import * as z from "zod/mini";
import { type JsonLines, jsonLines } from "../../shared/json-lines.ts";
import { describeIssue } from "../../shared/parse.ts";
import type { SandboxRequest } from "../../sandbox/programs.ts";
import { secretsIn } from "../secrets/secret-references.ts";
import { type CallHeaders, textOfParts } from "./call-headers.ts";
import type { SandboxPlaces } from "./sandbox-path.ts";
import { type IdentityRequest, identityProblem } from "../tools/web/identity-source.ts";
import {
  type EntryProblem,
  type EntryValues,
  type ServerEntry,
  IN_VAULT,
  expandEntry,
  readServerSandbox,
  serverEntry,
} from "./server-entry.ts";

/** Whether a tool call needs a person's permission; a denied tool is not offered. */
export type ServerPermission = "allow" | "ask" | "deny";

interface Common {
  readonly name: string;
  /** By the server's name of a tool; `*` for the rest. */
  readonly permissions: Readonly<Record<string, ServerPermission>>;
  /** The tools that are never left to tool search, by the server's name. */
  readonly alwaysLoad: "all" | readonly string[];
  /** Whether a tool whose definition changes is held. */
  readonly pin: boolean;
  /** From start to the first response. */
  readonly startTimeoutMs: number;
}

export type StdioServerConfig = Common & {
  readonly transport: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Relative to the workspace. */
  readonly cwd: string;
  readonly sandbox: SandboxRequest;
};
/** Null: what the server asks for, and a client that is registered by itself. */
export interface LoginSettings {
  readonly scopes: readonly string[] | null;
  readonly client_id: string | null;
  /** The name of a secret of the vault. */
  readonly client_secret: string | null;
}
export type HttpServerConfig = Common & {
  readonly transport: "http" | "sse";
  readonly url: string;
  /** The same for all calls. */
  readonly headers: Readonly<Record<string, string>>;
  readonly callHeaders: CallHeaders;
  /** Users sign in to it. Null: they do not. */
  readonly login: LoginSettings | null;
  /** Omitted: its requests have no token. */
  readonly identity?: IdentityRequest;
};
export type ServerConfig = StdioServerConfig | HttpServerConfig;

export interface InvalidServer {
  /** Null if the whole file is invalid. */
  readonly name: string | null;
  readonly transport: ServerConfig["transport"];
  readonly path: string;
  /** Within the file. */
  readonly line: number;
  readonly message: string;
}

/** The valid servers of a `.mcp.json`, and each problem of the others. */
export interface ServersConfig {
  readonly servers: readonly ServerConfig[];
  readonly errors: readonly InvalidServer[];
  /** Names of disabled entries. */
  readonly disabled: readonly string[];
}

export const NO_SERVERS: ServersConfig = { servers: [], errors: [], disabled: [] };

const FILE = ".mcp.json";
const MAX_SERVERS = 50;
const START_TIMEOUT_S = 30;
/** Package runners may download and install first. */
const INSTALL_TIMEOUT_S = 300;
const PACKAGE_RUNNER = /^(?:npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|uv|uvx|pipx|docker|podman)(?:\.\w+)?$/;

/** What entries may refer to. */
export interface EntryContext extends EntryValues {
  /** What their sandboxes may name. */
  readonly places: SandboxPlaces;
}

/** Parses the text of a `.mcp.json`. */
export function parseToolServers(text: string, context: EntryContext): ServersConfig {
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 200) : String(error);
    return invalidFile(`expected JSON: ${reason}`, jsonLines(text).errorLine ?? 1);
  }
  if (!isRecord(file)) return invalidFile("expected a JSON object");
  const listed = file["mcpServers"] ?? {};
  if (!isRecord(listed)) return invalidFile("mcpServers: expected an object");
  const entries = Object.entries(listed);
  if (entries.length > MAX_SERVERS) return invalidFile(`mcpServers: expected at most ${MAX_SERVERS} servers`);
  const { lineOf } = jsonLines(text.replace(/^\uFEFF/, ""));
  const servers: ServerConfig[] = [];
  const errors: InvalidServer[] = [];
  const disabled: string[] = [];
  for (const [name, value] of entries) {
    const read = readEntry(name, value, context);
    if (read.kind === "server") servers.push(read.server);
    if (read.kind === "disabled") disabled.push(name);
    if (read.kind === "invalid")
      errors.push(...read.problems.map((problem) => invalidEntry(name, value, problem, lineOf)));
  }
  return { servers, errors, disabled };
}

const invalidFile = (message: string, line = 1): ServersConfig => ({
  ...NO_SERVERS,
  errors: [{ name: null, transport: "stdio", path: FILE, line, message }],
});

const invalidEntry = (
  name: string,
  value: unknown,
  [path, message]: EntryProblem,
  lineOf: JsonLines["lineOf"],
): InvalidServer => ({
  name,
  transport: isRecord(value) && value["url"] !== undefined ? "http" : "stdio",
  path: FILE,
  line: lineOf(["mcpServers", name, ...path]),
  message: `${["mcpServers", name, ...path].join(".")}: ${message}`,
});

type ReadEntry =
  | { readonly kind: "server"; readonly server: ServerConfig }
  | { readonly kind: "disabled" }
  | { readonly kind: "invalid"; readonly problems: readonly EntryProblem[] };

const invalid = (path: readonly string[], message: string): ReadEntry => ({
  kind: "invalid",
  problems: [[path, message]],
});

function readEntry(name: string, value: unknown, { places, ...values }: EntryContext): ReadEntry {
  if (!/^[^\p{Cc}\p{Cs}]{1,64}$/u.test(name)) return invalid([], "expected a name of 1 to 64 printable characters");
  const parsed = z.safeParse(serverEntry, value, { error: describeIssue });
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }): EntryProblem => [path.map(String), message]);
    return { kind: "invalid", problems };
  }
  if (parsed.data.disabled === true) return { kind: "disabled" };
  const { expanded, callHeaders, problems } = expandEntry(parsed.data, values);
  return problems.length > 0 ? { kind: "invalid", problems } : toServer(name, expanded, { callHeaders, places });
}

function toServer(
  name: string,
  entry: ServerEntry,
  { callHeaders, places }: { readonly callHeaders: CallHeaders; readonly places: SandboxPlaces },
): ReadEntry {
  const { type, command, args = [], env = {}, cwd = ".", url, headers = {}, permissions = {}, pin = true } = entry;
  const timeoutS = entry.start_timeout_s ?? (isPackageRunner(command) ? INSTALL_TIMEOUT_S : START_TIMEOUT_S);
  const { always_load: listed = false } = entry;
  const none: readonly string[] = [];
  const alwaysLoad = listed === true ? ("all" as const) : listed || none;
  const common = { name, permissions, alwaysLoad, pin, startTimeoutMs: timeoutS * 1000 };
  const isRemote = type === undefined ? url !== undefined : type !== "stdio";
  if (isRemote) {
    if (command !== undefined) return invalid(["command"], "expected either a command or a url, not both");
    if (entry.sandbox !== undefined)
      return invalid(["sandbox"], "expected a local server: a remote one has no sandbox");
    if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? ""))
      return invalid(["url"], "expected an http or https URL");
    const called = Object.entries(callHeaders).map(([key, parts]) => [key, textOfParts(parts)] as const);
    const all = { ...headers, ...Object.fromEntries(called) };
    for (const [key, header] of Object.entries(all)) {
      const problem = headerProblem(key, header);
      if (problem !== null) return invalid(["headers", key], problem);
    }
    const { identity } = entry;
    const identityRefused = identityProblem(identity, all);
    if (identityRefused !== null) return invalid(["identity"], identityRefused);
    const login = entry.login === undefined ? null : loginSettings(entry.oauth);
    const problem = loginProblem({ ...entry, headers: all });
    if (problem !== null) return invalid(...problem);
    const remote = { url, headers, callHeaders, login, ...(identity !== undefined && { identity }) };
    return { kind: "server", server: { ...common, transport: type === "sse" ? "sse" : "http", ...remote } };
  }
  if (entry.login !== undefined) return invalid(["login"], "expected a remote server: a local one has no login");
  if (url !== undefined) return invalid(["url"], "expected either a command or a url, not both");
  if (entry.identity !== undefined) return invalid(["identity"], "expected a remote server: a local one gets no token");
  if (command === undefined) return invalid(["command"], "expected a command or a url");
  const hasNul = [command, ...args, cwd, ...Object.entries(env).flat()].some((text) => text.includes("\0"));
  if (hasNul) return invalid([], "expected no NUL character");
  if (Object.keys(env).some((key) => key === "" || key.includes("=")))
    return invalid(["env"], "expected variable names without =");
  const { sandbox, problems } = readServerSandbox(entry.sandbox ?? {}, places);
  if (problems.length > 0) return { kind: "invalid", problems };
  return { kind: "server", server: { ...common, transport: "stdio", command, args, env, cwd, sandbox } };
}

const loginSettings = ({
  scopes,
  client_id,
  client_secret = "",
}: ServerEntry["oauth"] & object = {}): LoginSettings => ({
  scopes: scopes ?? null,
  client_id: client_id ?? null,
  client_secret: IN_VAULT.exec(client_secret)?.[1] ?? null,
});

function loginProblem({ login, oauth, type, identity, headers = {} }: ServerEntry): EntryProblem | null {
  if (login === undefined) return oauth === undefined ? null : [["oauth"], 'expected "login": "oauth" with it'];
  if (identity !== undefined) return [["login"], "expected either a login or an identity: both are the same header"];
  if (oauth?.client_secret !== undefined && oauth.client_id === undefined)
    return [["oauth", "client_secret"], "expected a client_id with it"];
  // A token goes to one address. Servers of the older transport name another one for their messages.
  if (type === "sse") return [["login"], "expected a server over streamable HTTP"];
  const [secret] = secretsIn(Object.values(headers));
  if (secret !== undefined) return [["headers"], `expected no secret ${secret} beside a login`];
  const own = Object.keys(headers).find((name) => name.toLowerCase() === "authorization");
  return own === undefined ? null : [["headers", own], "expected no such header: the login adds it"];
}

const isPackageRunner = (command: string | undefined): boolean =>
  command !== undefined && PACKAGE_RUNNER.test(basename(command));

/** Never quotes the value, which may be a secret. */
function headerProblem(key: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(key))
    return "expected a header name: ASCII letters, digits and !#$%&'*+.^_`|~- only";
  return /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value) ? null : "expected a value of ASCII characters on one line";
}
