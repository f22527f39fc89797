import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Test } from "tap";
import type { KnownServers } from "../../../src/engine/mcp/known-servers.ts";
import { parseToolServers } from "../../../src/engine/mcp/server-config.ts";
import type { PinnedDefinition, PinnedDefinitions } from "../../../src/engine/mcp/tool-definition.ts";
import { ToolServers } from "../../../src/engine/mcp/tool-servers.ts";
import { createToolExecutor } from "../../../src/engine/tools/execute.ts";
import type { Tool, ToolContext } from "../../../src/engine/tools/tool.ts";
import { commandEnvironment } from "../../../src/engine/tools/command/command-environment.ts";
import { NO_SCOPE } from "../../../src/engine/telemetry/engine-telemetry.ts";
import { createLogger } from "../../../src/shared/logger.ts";
import { until } from "../../helpers/until.ts";
import { commandHost, unlimitedDisk } from "../../helpers/command-host.ts";
import { noIdentity } from "../../helpers/identity.ts";
import { type EngineFacts, engineFact } from "../../../src/engine/tools/call-facts.ts";
import { factsOf } from "../../helpers/engine-facts.ts";
import type { IdentitySource } from "../../../src/engine/tools/web/identity-source.ts";

const fixtures = resolve(import.meta.dirname, "../../fixtures/tool-servers");
const packages = resolve(import.meta.dirname, "../../../node_modules/@modelcontextprotocol");

/** An entry of `.mcp.json` for one of the misbehaving servers. */
export const fixture = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join(fixtures, `${name}.mjs`), ...args],
});
/** And for one of those from npm. */
export const real = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join(packages, `server-${name}`, "dist/index.js"), ...args],
});

export interface ServerBench {
  readonly servers: ToolServers;
  readonly workspaceDir: string;
  readonly log: readonly string[];
  /** Takes what a `.mcp.json` with these servers says. */
  load(mcpServers: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits until a server has come to a status. */
  status(server: string, status: string): Promise<ReturnType<ToolServers["list"]>["servers"][number]>;
  tool(name: string): Tool;
  /** One call under the executor, as a turn makes it. */
  call(
    name: string,
    input?: Readonly<Record<string, unknown>>,
    more?: Partial<ToolContext>,
  ): Promise<{ readonly output: unknown; readonly error: string | null }>;
}

export interface BenchOptions {
  readonly pins?: PinnedDefinitions;
  readonly known?: KnownServers;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly identity?: IdentitySource;
  readonly engine?: EngineFacts;
}

/** The room of the tool servers without an engine around it. */
export function serverBench(t: Test, options: BenchOptions = {}): ServerBench {
  const {
    pins = rememberedPins(),
    known = rememberedServers(),
    environment = {},
    timeoutMs = 60_000,
    identity = noIdentity,
  } = options;
  const { launcher, folders, network, outside, secrets } = commandHost(environment, t.testdir());
  const { workspace: workspaceDir } = folders;
  mkdirSync(workspaceDir, { recursive: true });
  const log: string[] = [];
  const logger = createLogger("test", "debug", { write: (line: string) => void log.push(line) });
  const servers = new ToolServers({
    pins,
    known,
    workspaceDir,
    environment: () => commandEnvironment(environment, folders),
    launcher,
    secrets,
    proxyPort: async (asked) => (await network.access(asked)).proxyPort,
    outside,
    identity,
    logger,
  });
  t.teardown(() => servers.close());
  const factOf = (name: string) => engineFact(options.engine ?? factsOf("anna"), name);
  const context = { variables: environment, factOf, places: { folders, read: [] } };
  const execute = createToolExecutor({ timeoutMs, disk: unlimitedDisk(), logger });
  const find = (name: string) => servers.tools().find((one) => one.name === name);
  const tool = (name: string): Tool => {
    const found = find(name);
    if (found === undefined) throw new Error(`${name} is not offered`);
    return found;
  };
  return {
    servers,
    workspaceDir,
    log,
    tool,
    load: (mcpServers) => servers.reload(parseToolServers(JSON.stringify({ mcpServers }), context)),
    status: (server, status) =>
      until(
        `${server} is ${status}`,
        () => servers.list().servers.find((one) => one.name === server && one.status === status),
        45_000,
      ),
    async call(name, input = {}, more = {}) {
      const { output, error } = await execute(tool(name), input, {
        taskId: "task",
        turnId: "turn",
        toolCallId: "call",
        agent: "default",
        workspaceDir,
        signal: new AbortController().signal,
        scope: NO_SCOPE,
        ask: () => Promise.reject(new Error("nobody is asked here")),
        note: () => undefined,
        cite: () => undefined,
        progress: () => undefined,
        ...more,
      });
      return { output, error };
    },
  };
}

/** Kept for as long as the test has them. */
export function rememberedPins(): PinnedDefinitions {
  const pins = new Map<string, Map<string, PinnedDefinition>>();
  return {
    ofServer: (server) => new Map(pins.get(server)),
    pin: (server, tools) => void pins.set(server, new Map([...(pins.get(server) ?? []), ...tools])),
  };
}

/** What processes of one engine know of its servers, kept for as long as the test has it. */
export function rememberedServers(): KnownServers {
  const rows = new Map<string, ReturnType<KnownServers["find"]>>();
  const key = (server: string, address: string) => `${server} ${address}`;
  return {
    find: (server, address) => rows.get(key(server, address)) ?? null,
    listed: (server, address, listing) => void rows.set(key(server, address), { waited: true, listing }),
    waited: (server, address) => void rows.set(key(server, address), { waited: true, listing: null }),
  };
}
