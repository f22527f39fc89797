import { once } from "node:events";
import { type Session, createSession } from "better-sse";
import { GAP_EVENT } from "../../contract/orchestrator/event-types.ts";
import { LOG_TAIL } from "../../contract/orchestrator/log-tail.ts";
import { flagParameter, integerParameter } from "../../shared/http/parameters.ts";
import type { HostContext } from "../host-context.ts";
import { engineLog } from "../status/look-up-engine.ts";
import { lookUpProduct } from "../status/look-up-product.ts";
import { followEvents, pageOfEvents } from "../status/read-events.ts";
import { type Answer, type Call, type Handler, eventIdHeader, pageOf, pageParameters } from "./call.ts";
import { userParameter } from "./engine-routes.ts";
import { StreamLimit } from "./stream-limit.ts";
import { streamSignal } from "./stream-signal.ts";

const KEEP_ALIVE_MS = 15_000;
const STREAM_HEADERS = { "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no" } as const;

interface Filter {
  readonly productId?: string;
  readonly userId?: string;
}

/** The routes that can stream: events, and an engine's log as plain text. */
export function streamRoutes(host: Pick<HostContext, "db" | "box" | "backend" | "logger" | "stopping">) {
  const eventLimit = new StreamLimit("event streams");
  const logLimit = new StreamLimit("log streams");
  const answerEvents = async (call: Call, filter: Filter, caller: string | null): Promise<Answer> => {
    if (!call.headers.accept?.includes("text/event-stream")) {
      const page = pageParameters(call, "evt");
      return call.list(async () => pageOf(await pageOfEvents(host, filter, page), page.limit));
    }
    using _slot = eventLimit.acquire(caller);
    await streamEvents(host, call, filter);
    return undefined;
  };
  return {
    events: (call) => {
      const productId = call.product.record.id;
      return answerEvents(call, { productId }, productId);
    },
    engineEvents: (call) => {
      const productId = call.product.record.id;
      return answerEvents(call, { productId, userId: userParameter(call) }, productId);
    },
    adminEvents: async (call) => {
      const product = call.query["product_id"];
      return answerEvents(
        call,
        product === undefined ? {} : { productId: (await lookUpProduct(host, product)).id },
        null,
      );
    },
    engineLogs: async (call) => {
      const options = { userId: userParameter(call), lines: integerParameter(call, "tail", LOG_TAIL) };
      const follow = flagParameter(call, "follow");
      // Counts also without `follow`, since a slow reader keeps the response open.
      using _slot = logLimit.acquire(call.product.record.id);
      const signal = streamSignal(host, call);
      const lines = await engineLog(host, call.product, { ...options, follow: follow ? signal : null });
      await streamLines(call, lines, signal);
      return undefined;
    },
  } satisfies Record<string, Handler>;
}

async function streamEvents(
  host: Pick<HostContext, "db" | "logger" | "stopping">,
  call: Call,
  filter: Filter,
): Promise<void> {
  const after = eventIdHeader(call);
  const { response } = call;
  const signal = streamSignal(host, call);
  const events = await followEvents(host, filter, { after, signal });
  const session = await openSession(call);
  for await (const followed of events) {
    if (signal.aborted) break;
    if (followed.kind === "gap") session.push({ after }, GAP_EVENT, after ?? "");
    else session.push(followed.event, followed.event.type, followed.event.id);
    // Waits for a slow reader, so that no events queue in memory.
    if (response.writableNeedDrain) await once(response, "drain", { signal }).catch(() => undefined);
  }
  response.end();
}

function openSession({ response }: Call): Promise<Session> {
  return createSession(response.req, response, {
    retry: null,
    keepAlive: KEEP_ALIVE_MS,
    headers: STREAM_HEADERS,
    // better-sse writes `event:x`. The space makes it equal to this daemon's other streams.
    sanitizer: (text) => ` ${text}`,
  });
}

async function streamLines(
  { response }: Call,
  lines: Iterable<string> | AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> {
  response.set({ "Content-Type": "text/plain; charset=utf-8", ...STREAM_HEADERS });
  response.flushHeaders();
  for await (const line of lines) {
    // Waits for a slow reader, so that no lines queue in memory.
    if (!response.write(`${line}\n`)) await once(response, "drain", { signal }).catch(() => undefined);
    if (signal.aborted) break;
  }
  response.end();
}
