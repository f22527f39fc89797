import { type BenchEngine, startEngine } from "../engine.ts";
import { type Call, call, cpuSeconds, open } from "../measure.ts";
import { type Row, row } from "../report.ts";
import type { Site } from "../site.ts";

const TURNS = 40;
const WARM_UP = 8;
const EVENTS = 20_000;
const AIM = "≥ 0.95";

/** A turn over a protocol: the call that streams it, and what is at the end of its stream. */
interface Asked {
  readonly path: string;
  readonly body?: object;
  /** Called when the stream is open, where the message is a call of its own. */
  readonly begin?: () => Promise<void>;
  /** The stream goes on after it, where it is not that of one turn. */
  readonly last?: string;
}

type Protocol = (turn: {
  readonly id: string;
  readonly message: string;
  readonly engine: BenchEngine;
}) => Promise<Asked>;

const user = (message: string) => ({ role: "user", content: message });

const NATIVE: Protocol = async ({ id, message }) => ({ path: "/execute", body: { task_id: id, message } });

/** Each as its own client calls it. */
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  "AI SDK UI": async ({ id, message }) => ({
    path: "/v1/ui/chat",
    body: { id, messages: [{ id: "m", role: "user", parts: [{ type: "text", text: message }] }] },
  }),
  "chat completions": async ({ message }) => ({
    path: "/v1/chat/completions",
    body: { model: "default", stream: true, messages: [user(message)] },
  }),
  Responses: async ({ message }) => ({
    path: "/v1/responses",
    body: { model: "default", stream: true, input: message },
  }),
  MCP: async ({ id, message }) => ({
    path: "/mcp",
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "ask", arguments: { task_id: id, message }, _meta: { progressToken: 1 } },
    },
  }),
  "AG-UI": async ({ id, message }) => ({
    path: "/ag-ui",
    body: {
      threadId: id,
      runId: id,
      messages: [{ id: "m", ...user(message) }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
  }),
  A2A: async ({ id, message }) => ({
    path: "/a2a",
    body: {
      jsonrpc: "2.0",
      id: 1,
      method: "SendStreamingMessage",
      params: { message: { messageId: id, contextId: id, role: "ROLE_USER", parts: [{ text: message }] } },
    },
  }),
  "Managed Agents": async ({ message, engine }) => {
    const session = await answered(engine, "/v1/sessions", { agent: "default", environment_id: "env_workspace" });
    const path = `/v1/sessions/${session.id}/events`;
    const events = [{ type: "user.message", content: [{ type: "text", text: message }] }];
    return {
      path: `${path}/stream?event_deltas%5B%5D=agent.message`,
      begin: async () => void (await answered(engine, path, { events })),
      last: '"end_turn"',
    };
  },
};

/** Events of a turn a second over each protocol, against the engine's own interface. */
export async function protocols(site: Site): Promise<readonly Row[]> {
  const engine = await startEngine(site);
  const rows: Row[] = [];
  for (const [name, protocol] of Object.entries(PROTOCOLS)) {
    const ours: Measured = { rates: [], cpuSeconds: 0 };
    const theirs: Measured = { rates: [], cpuSeconds: 0 };
    for (let turn = 0; turn < TURNS + WARM_UP; turn++) {
      const isWarm = turn >= WARM_UP;
      // One of each in turn, so that the machine's load is the same for both.
      await measure(engine, { protocol: NATIVE, id: `${name}-${turn}-native`, into: isWarm ? theirs : null });
      await measure(engine, { protocol, id: `${name}-${turn}`, into: isWarm ? ours : null });
    }
    rows.push(
      row(`events of a turn over ${name}, against the engine's own interface`, {
        ours: ours.rates,
        theirs: theirs.rates,
        unit: "/s",
        aim: AIM,
      }),
      row("… of the engine's CPU time", { ours: [perCpu(ours)], theirs: [perCpu(theirs)], unit: "/s", aim: AIM }),
    );
  }
  await engine.stop();
  return rows;
}

interface Measured {
  readonly rates: number[];
  cpuSeconds: number;
}

/** The kernel counts processor time in hundredths of a second, so this figure is of all turns. */
const perCpu = ({ rates, cpuSeconds: seconds }: Measured): number => (EVENTS * rates.length) / seconds;

async function measure(
  engine: BenchEngine,
  { protocol, id, into }: { readonly protocol: Protocol; readonly id: string; readonly into: Measured | null },
): Promise<void> {
  // The name first, for clients of protocols without tasks are known by what they say.
  const asked = await protocol({ id, message: `/say ${id}\n/stream ${EVENTS}`, engine });
  const before = cpuSeconds(engine.pid);
  const ms = await timeOf(engine, asked);
  if (into === null) return;
  into.cpuSeconds += cpuSeconds(engine.pid) - before;
  into.rates.push(EVENTS / (ms / 1000));
}

/** Milliseconds of a turn's stream. */
async function timeOf(engine: BenchEngine, { path, body, begin, last }: Asked): Promise<number> {
  const { headers } = engine.request();
  const accept = { accept: "application/json, text/event-stream", ...headers };
  const request: Call = body === undefined ? { headers: accept } : { method: "POST", headers: accept, body };
  let began = performance.now();
  const response = await open(`${engine.url}${path}`, request);
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
  if (begin !== undefined) {
    began = performance.now();
    await begin();
  }
  let tail = "";
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    tail = (tail + chunk.subarray(-1000).toString("latin1")).slice(-1000);
    if (last !== undefined && tail.includes(last)) break;
  }
  const ms = performance.now() - began;
  response.destroy();
  if (bytes < EVENTS) throw new Error(`${path} gave ${bytes} bytes: ${tail}`);
  return ms;
}

async function answered(engine: BenchEngine, path: string, body: object): Promise<{ readonly id: string }> {
  const { status, body: text } = await call(`${engine.url}${path}`, engine.request(body));
  if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`);
  return JSON.parse(text) as { readonly id: string };
}
