import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import {
  type AgentRequestContext,
  type ClientCapabilities,
  type McpServer,
  PROTOCOL_VERSION,
  RequestError,
  agent,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk";
import type { EngineClient } from "../../src/client/engine-client.ts";
import { VERSION } from "../../src/shared/version.ts";
import { EditorSession } from "./editor-session.ts";
import { history } from "./history.ts";
import { SessionOptions } from "./session-options.ts";

const DEFAULT_AGENT = "default";
const LIST_PAGE = 50;
const [INVALID_PARAMS, NOT_FOUND, INTERNAL_ERROR] = [-32_602, -32_002, -32_603];

export interface AcpParts {
  readonly engine: EngineClient;
  readonly input: Readable;
  readonly output: Writable;
  /** For what the editor's user should know; standard output has only the protocol. */
  readonly note: (text: string) => void;
}

interface Opened {
  readonly session: EditorSession;
  readonly options: SessionOptions;
}

/** Speaks the Agent Client Protocol for an engine, until the input ends. */
export async function serveAcp({ engine, input, output, note }: AcpParts): Promise<void> {
  let capabilities: ClientCapabilities = {};
  const sessions = new Map<string, Opened>();
  const open = async (taskId: string, agentName: string): Promise<Opened> => {
    const { agents } = await engine.showCatalog();
    const options = new SessionOptions(agents, agentName);
    const hasForms = (capabilities.elicitation?.form ?? null) !== null;
    const opened = { options, session: new EditorSession({ engine, taskId, options, hasForms }) };
    sessions.set(taskId, opened);
    return opened;
  };
  const find = async (taskId: string): Promise<Opened> =>
    sessions.get(taskId) ?? open(taskId, (await engine.task(taskId)).agent);
  const reopen = async ({ sessionId, mcpServers }: { sessionId: string; mcpServers?: readonly McpServer[] }) => {
    noteServers(mcpServers ?? [], note);
    return open(sessionId, (await engine.task(sessionId)).agent);
  };
  const { session: on } = methods.agent;
  const app = agent({ name: "orchd" })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {};
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: "orchd", title: "orchd", version: VERSION },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(
      on.new,
      answered(async ({ mcpServers }) => {
        noteServers(mcpServers, note);
        const sessionId = `acp-${randomUUID()}`;
        return { sessionId, ...shown(await open(sessionId, DEFAULT_AGENT)) };
      }),
    )
    .onRequest(
      on.load,
      answered(async (params, { client }) => {
        const { sessionId } = params;
        const opened = await reopen(params);
        for await (const update of history(engine, sessionId))
          await client.notify(methods.client.session.update, { sessionId, update });
        return shown(opened);
      }),
    )
    .onRequest(
      on.resume,
      answered(async (params) => shown(await reopen(params))),
    )
    .onRequest(
      on.list,
      answered(async ({ cursor, cwd }) => {
        const page = await engine.listTasks({ limit: LIST_PAGE, ...(typeof cursor === "string" && { cursor }) });
        const sessionOf = ({ task_id: id, title, last_active_at: at }: (typeof page.items)[number]) => ({
          sessionId: id,
          cwd: cwd ?? process.cwd(),
          title,
          updatedAt: at,
        });
        return { sessions: page.items.map(sessionOf), nextCursor: page.next_cursor };
      }),
    )
    .onRequest(
      on.delete,
      answered(async ({ sessionId }) => {
        await engine.deleteTask(sessionId);
        sessions.delete(sessionId);
        return {};
      }),
    )
    .onRequest(
      on.close,
      answered(async ({ sessionId }) => {
        await sessions.get(sessionId)?.session.cancel();
        sessions.delete(sessionId);
        return {};
      }),
    )
    .onRequest(
      on.setMode,
      answered(async ({ sessionId, modeId }) => {
        (await find(sessionId)).options.setAgent(modeId);
        return {};
      }),
    )
    .onRequest(
      on.setConfigOption,
      answered(async ({ sessionId, configId, value }) => {
        const { options } = await find(sessionId);
        options.setOption(configId, value);
        return { configOptions: options.configOptions };
      }),
    )
    .onRequest(
      on.prompt,
      answered(async (params, { client }) => (await find(params.sessionId)).session.prompt(params, client)),
    )
    .onNotification(on.cancel, async ({ params }) => {
      await sessions
        .get(params.sessionId)
        ?.session.cancel()
        .catch((error: unknown) => note(String(error)));
    });
  const bytes = Readable.toWeb(input) as ReadableStream<Uint8Array>;
  await app.connect(ndJsonStream(Writable.toWeb(output) as WritableStream<Uint8Array>, bytes)).closed;
}

const shown = ({ options }: Opened) => ({ modes: options.modes, configOptions: options.configOptions });

function noteServers(servers: readonly McpServer[], note: (text: string) => void): void {
  if (servers.length > 0)
    note(`tool servers of the editor are not used: ${servers.map(({ name }) => name).join(", ")}`);
}

/** Answers a request with what `call` returns, and with the code and cause of what the engine refuses. */
const answered =
  <Params, Response>(call: (params: Params, context: AgentRequestContext<Params>) => Promise<Response>) =>
  async (context: AgentRequestContext<Params>): Promise<Response> => {
    try {
      return await call(context.params, context);
    } catch (error) {
      throw refusalOf(error);
    }
  };

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== "OrchdError") return error;
  const { code, status, details } = error as Error & { code?: unknown; status?: unknown; details?: object };
  const number = status === 400 ? INVALID_PARAMS : status === 404 ? NOT_FOUND : INTERNAL_ERROR;
  return new RequestError(number, `${String(code)}: ${error.message}`, { error: code, ...details });
}
