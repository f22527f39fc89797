import { once } from "node:events";
import { type Session, createSession } from "better-sse";
import { GAP_EVENT } from "../../contract/orchestrator-events.ts";
import { lookUpProduct } from "../status/look-up-product.ts";
import { followEvents, pageOfEvents } from "../status/read-events.ts";
import type { HostContext } from "../host-context.ts";
import { type Answer, type Call, type Handler, eventIdHeader, pageOf, pageParameters } from "./call.ts";
import { userParameter } from "./engine-routes.ts";
import { StreamSeats } from "./stream-seats.ts";
import { streamSignal } from "./stream-signal.ts";

const KEEP_ALIVE_MS = 15_000;

interface Filter {
  readonly productId?: string;
  readonly userId?: string;
}

export function eventRoutes(host: HostContext) {
  const seats = new StreamSeats("event streams");
  const answer = async (call: Call, filter: Filter, caller: string | null): Promise<Answer> => {
    if (!call.headers.accept?.includes("text/event-stream")) {
      const page = pageParameters(call, "evt");
      return call.list(async () => pageOf(await pageOfEvents(host, filter, page), page.limit));
    }
    using _seat = seats.take(caller);
    await stream(host, call, filter);
    return undefined;
  };
  return {
    events: (call) => {
      const productId = call.product.record.id;
      return answer(call, { productId }, productId);
    },
    engineEvents: (call) => {
      const productId = call.product.record.id;
      return answer(call, { productId, userId: userParameter(call) }, productId);
    },
    adminEvents: async (call) => {
      const product = call.query["product_id"];
      return answer(call, product === undefined ? {} : { productId: (await lookUpProduct(host, product)).id }, null);
    },
  } satisfies Record<string, Handler>;
}

async function stream(host: HostContext, call: Call, filter: Filter): Promise<void> {
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
    headers: { "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no" },
    // The library writes `event:x`; the blank is what this daemon's other streams have.
    sanitizer: (text) => ` ${text}`,
  });
}
