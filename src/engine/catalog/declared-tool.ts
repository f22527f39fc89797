import type { CommandHost } from "../tools/command/run-command.ts";
import { clientTool } from "../tools/client-tools.ts";
import type { IdentitySource } from "../tools/web/identity-source.ts";
import { type Tool, type ToolContext, ToolFailed } from "../tools/tool.ts";
import type { EngineFacts } from "../tools/call-facts.ts";
import { callHttp } from "./call-http.ts";
import { CatalogFolder } from "./catalog-folder.ts";
import { BadEntry } from "./catalog-entry.ts";
import { type Values, valuesOf } from "./fill-in.ts";
import { runDeclaredCommand } from "./run-declared-command.ts";
import type { ToolAction } from "./tool-action.ts";
import type { DeclaredTool } from "./tool-file.ts";

const MAX_SECRET_BYTES = 16 * 1024;

/** For TERM, KILL and draining the output. */
const EXIT_TIMEOUT_MS = 5000;

export interface DeclaredToolParts {
  /** The catalog folder with the tool's secrets. Null for a shipped tool, which has none. */
  readonly folder: string | null;
  readonly commands: CommandHost;
  /** For placeholders. */
  readonly engine: EngineFacts;
  readonly identity: IdentitySource;
}

/** A declared tool as an engine tool. Its output is redacted: the model never sees its secrets. */
export function declaredTool(declared: DeclaredTool, parts: DeclaredToolParts): Tool {
  const { name, description, input, readOnly, permission, timeoutMs, alwaysLoad, action } = declared;
  const shared = { name, description, input, source: "catalog", permission, ...(alwaysLoad && { alwaysLoad }) };
  if (action.kind === "client") return { ...clientTool({ ...shared, outputSchema: action.outputSchema }), ...shared };
  return {
    ...shared,
    readOnly,
    // The only tool that ships tells the time.
    ...(parts.folder === null && { returns: "own", bookkeeping: true, alwaysLoad: true }),
    timeoutMs: () => timeoutMs,
    ...(action.kind === "command" && { exitTimeoutMs: EXIT_TIMEOUT_MS, changesFiles: !readOnly }),
    resources: () => [],
    subject: (given) => JSON.stringify(given),
    async run(given, context) {
      const secrets = await secretsOf(declared, parts.folder);
      const values = valuesOf(given, { engine: parts.engine, call: context, secrets });
      const token = await tokenOf(action, context, parts.identity);
      const redact = (text: string) =>
        [...secrets.values(), ...(token === null ? [] : [token])].reduce(
          (left, secret) => left.replaceAll(secret, "[secret]"),
          text,
        );
      try {
        return redact(await run(action, { values, context, commands: parts.commands, token }));
      } catch (error) {
        if (error instanceof ToolFailed) throw new ToolFailed(redact(error.message));
        throw error;
      }
    },
  };
}

/** The token of this call. Null for a tool that asks for none. */
async function tokenOf(
  action: ToolAction,
  { agent, signal }: Pick<ToolContext, "agent" | "signal">,
  identity: IdentitySource,
): Promise<string | null> {
  if (action.kind !== "http" || action.http.identity === undefined) return null;
  return identity({ audience: action.http.identity.audience, agent, signal });
}

function run(
  action: ToolAction,
  call: Pick<DeclaredToolParts, "commands"> & {
    readonly values: Values;
    readonly context: ToolContext;
    readonly token: string | null;
  },
): Promise<string> {
  switch (action.kind) {
    case "command":
      return runDeclaredCommand(action.command, call);
    case "http":
      return callHttp(action.http, call.values, {
        network: call.commands.outside,
        secrets: call.commands.secrets,
        signal: call.context.signal,
        token: call.token,
      });
    default:
      return action satisfies never;
  }
}

/** Read at each call, so that a rotated secret needs no reload. */
async function secretsOf(
  { secrets }: DeclaredTool,
  catalogFolder: string | null,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  if (Object.keys(secrets).length === 0 || catalogFolder === null) return found;
  const folder = await CatalogFolder.open(catalogFolder);
  for (const [name, file] of Object.entries(secrets)) {
    const text = await secretText(folder, file);
    if (text === "")
      throw new ToolFailed(`the tool's secret ${name} cannot be read; the operator must provide its file`);
    found.set(name, text);
  }
  return found;
}

async function secretText(folder: CatalogFolder | null, file: string): Promise<string> {
  try {
    return ((await folder?.text(file, MAX_SECRET_BYTES)) ?? "").trim();
  } catch (error) {
    if (error instanceof BadEntry) return "";
    throw error;
  }
}
