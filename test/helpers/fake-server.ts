import { once } from "node:events";
import { type IncomingHttpHeaders, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Test } from "tap";
import { newId } from "../../src/shared/ids.ts";
import { DEFAULT_POLICY, type EngineRecord, type ProductRecord } from "../../src/contract/orchestrator/requests.ts";

export interface FakeCall {
  readonly method: string;
  /** Raw, with its query, as it was on the wire. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // Tests look into whatever came; a wrong shape fails the comparison.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export type FakeAnswer = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body: unknown;
};
/** Answers by what it returns, or by itself on the response. */
export type FakeHandler = (call: FakeCall, response: ServerResponse) => FakeAnswer | void | Promise<FakeAnswer | void>;

export interface FakeServer {
  readonly url: string;
  readonly calls: FakeCall[];
  /** Answers one `METHOD /path`, the query left out, from now on. */
  on(route: string, handler: FakeHandler | FakeAnswer): void;
}

/** A server that speaks as the daemon or an engine does: it knows nothing but its health, and notes every other call. */
export async function startFakeServer(t: Test): Promise<FakeServer> {
  const calls: FakeCall[] = [];
  const hostId = newId("host");
  const handlers = new Map<string, FakeHandler | FakeAnswer>();
  const server = createServer((request, response) => {
    void (async () => {
      const { method = "", url: path = "", headers } = request;
      const sent = await text(request);
      const call = { method, path, headers, body: sent === "" ? undefined : bodyOf(headers, sent) };
      const route = `${method} ${path.split("?")[0]}`;
      const isUntoldHealth = route === "GET /health" && !handlers.has(route);
      if (!isUntoldHealth) calls.push(call);
      const handler = isUntoldHealth
        ? { body: { status: "ok", host_id: hostId } }
        : (handlers.get(route) ?? fault(404, "NOT_FOUND", "no such route"));
      const answer = typeof handler === "function" ? await handler(call, response) : handler;
      if (answer === undefined) return;
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      response.end(typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, calls, on: (route, handler) => void handlers.set(route, handler) };
}

const RAW = new Set(["application/gzip", "application/octet-stream"]);
/** JSON, or the text of another type. */
const bodyOf = (headers: IncomingHttpHeaders, sent: string): unknown =>
  RAW.has(headers["content-type"] ?? "") ? sent : JSON.parse(sent);

/** The daemon's form of an error. */
export const fault = (status: number, code: string, message: string): FakeAnswer => ({
  status,
  headers: { "x-request-id": "req-1" },
  body: { error: { code, message } },
});

export function product(more: Partial<ProductRecord> = {}): ProductRecord {
  return {
    id: "prd_1",
    slug: "demo",
    name: null,
    policy: DEFAULT_POLICY,
    engine_env_names: [],
    engine_env_values: {},
    platform_key: { prefix: "orchp_abcd", last4: "wxyz", created_at: "2026-11-01T12:00:00.000Z" },
    created_at: "2026-11-01T12:00:00.000Z",
    updated_at: "2026-11-01T12:00:00.000Z",
    ...more,
  };
}

export function engine(more: Partial<EngineRecord> = {}): EngineRecord {
  return {
    id: "eng_1",
    product_id: "prd_1",
    user_id: "alice",
    state: "running",
    running: true,
    desired_state: "running",
    port: 20_000,
    url: "http://127.0.0.1:20000",
    incarnation: "i1",
    pid: 4711,
    version: "0.1.0",
    api_key: {
      prefix: "sk-orch-ab",
      last4: "cdef",
      created_at: "2026-11-01T12:00:00.000Z",
      previous_expires_at: null,
    },
    health: { status: "ok", last_ok_at: "2026-11-01T12:00:01.000Z", consecutive_failures: 0 },
    catalog: { version: 0, error: null },
    restarts: { count: 0, window_started_at: null, next_at: null },
    last_error: null,
    sleep: null,
    awake: { woken_by: null, kept_by: [], idle_since: null, learning_due_at: null },
    usage: null,
    open_questions: 0,
    stop_reason: null,
    last_active_at: null,
    created_at: "2026-11-01T12:00:00.000Z",
    started_at: "2026-11-01T12:00:01.000Z",
    stopped_at: null,
    plan: null,
    metadata: {},
    ...more,
  };
}
