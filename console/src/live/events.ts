import type { EventRecord } from "@orchd/client";
import { admin } from "../session/clients.ts";
import { connection, epoch } from "./connection.ts";
import { applyToFleet, loadEngines, loadProducts } from "./fleet.ts";
import { type HostMessage, followShared } from "./shared-stream.ts";

type Listener = (events: readonly EventRecord[]) => void;
const listeners = new Set<Listener>();

/** Calls the listener with the events of each animation frame. Returns the unsubscribe function. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const RETRY_MS = 3000;
/** Interval at which records are read again: events carry no usage of an engine. */
const REFRESH_MS = 15_000;
/** Delay of the read after an event of an unknown engine. */
const NEW_ENGINE_MS = 500;

/** Follows the events of the whole host while somebody is signed in. It ends with the signal. */
export async function followHost(sessionId: string, signal: AbortSignal): Promise<void> {
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    if (!isFirst) {
      connection.value = "lost";
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    const attempt = new AbortController();
    const ended = AbortSignal.any([signal, attempt.signal]);
    try {
      await followOnce(sessionId, ended);
    } catch {
      // A lost connection; the loop opens another one. A session that is over has ended the signal.
    } finally {
      attempt.abort();
    }
  }
}

async function followOnce(sessionId: string, signal: AbortSignal): Promise<void> {
  const prepare = async () => {
    let after = "start";
    for await (const { id } of admin.listEvents({ pageSize: 1, signal })) {
      after = id;
      break;
    }
    await Promise.all([loadEngines(signal), loadProducts(signal)]);
    connection.value = "live";
    epoch.value++;
    return after;
  };
  const refresh = refresher(signal);
  const batch = frameBatch((events) => {
    const { newEngine, products } = applyToFleet(events);
    if (newEngine) refresh.soon();
    if (products) void loadProducts(signal).catch(() => undefined);
    for (const listener of listeners) listener(events);
  });
  const deliver = (message: HostMessage) => {
    if ("id" in message) return batch(message);
    if (message.type === "lost") {
      connection.value = "lost";
      return;
    }
    if (message.type === "live") {
      connection.value = "live";
      epoch.value++;
    }
    refresh.soon();
  };
  await followShared({ sessionId, prepare, signal, deliver });
}

/** Collects items until the next animation frame. */
function frameBatch(flush: (events: readonly EventRecord[]) => void): (event: EventRecord) => void {
  let pending: EventRecord[] = [];
  return (event) => {
    if (pending.push(event) > 1) return;
    requestAnimationFrame(() => {
      const events = pending;
      pending = [];
      flush(events);
    });
  };
}

/** Reads the engines now and then while the page is visible, and soon when asked to. One read runs at a time. */
function refresher(signal: AbortSignal): { readonly soon: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const plan = (ms: number) => {
    clearTimeout(timer);
    if (!signal.aborted) timer = setTimeout(run, ms);
  };
  const run = () => {
    if (document.visibilityState !== "visible") return plan(REFRESH_MS);
    // The event stream reports a connection that is lost.
    void loadEngines(signal)
      .catch(() => undefined)
      .finally(() => plan(REFRESH_MS));
  };
  signal.addEventListener("abort", () => clearTimeout(timer));
  plan(REFRESH_MS);
  return { soon: () => plan(NEW_ENGINE_MS) };
}
