import type { OrchestratorEvent } from "@orchd/client";
import { admin } from "../session/clients.ts";

/** `live`: the stream was lost and goes on. */
export type HostMessage = OrchestratorEvent | { readonly type: "live" } | { readonly type: "lost" };

/** From a tab that has read the current state. The others answer while the stream is lost. */
interface Joined {
  readonly type: "joined";
}

interface Reader {
  readonly sessionId: string;
  /** Reads what the events change. Resolves with the id of the newest event before that, or `"start"`. */
  readonly prepare: () => Promise<string>;
  readonly signal: AbortSignal;
  readonly deliver: (message: HostMessage) => void;
}

/** Events whose ids are remembered: a new reader of the stream passes on again what its predecessor did. */
const REMEMBERED = 2000;

/**
 * Delivers the events of the host until the signal ends. The tabs of a session share one stream: the tab that holds the
 * lock reads it and passes each event on. A browser allows six connections to a host over HTTP/1.1. It frees the lock of a
 * tab that is closed or discarded, and freezes none that holds one. Browsers offer locks over HTTPS and to loopback only;
 * elsewhere each tab reads a stream of its own.
 */
export async function followShared({ sessionId, prepare, signal, deliver }: Reader): Promise<void> {
  const name = `orchd-events ${sessionId}`;
  const channel = new BroadcastChannel(name);
  // The types of the browser say that locks are always there.
  const locks = navigator.locks as LockManager | undefined;
  const seen = new Set<string>();
  let last: string | undefined;
  let isLost = false;
  const receive = (message: HostMessage) => {
    if (message.type === "lost") isLost = true;
    if (message.type === "live") isLost = false;
    if ("id" in message) {
      if (seen.has(message.id)) return;
      seen.add(message.id);
      const [oldest = ""] = seen;
      if (seen.size > REMEMBERED) seen.delete(oldest);
      last = message.id;
    }
    deliver(message);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<HostMessage | Joined>) => {
    if (data.type !== "joined") receive(data);
    else if (isLost) channel.postMessage({ type: "lost" });
  });
  const read = async () => {
    const pass = (message: HostMessage) => {
      receive(message);
      if (locks !== undefined) channel.postMessage(message);
    };
    // The tab that lost the stream was closed before it had another: nobody says when this one is open.
    if (isLost) {
      await prepare();
      pass({ type: "live" });
    }
    const onRetry = () => pass({ type: "lost" });
    const onReconnect = () => pass({ type: "live" });
    for await (const event of admin.events({ after: last, signal, onRetry, onReconnect })) pass(event);
  };
  try {
    // The channel is open before this read, so that no event falls between the two.
    const newest = await prepare();
    last ??= newest;
    channel.postMessage({ type: "joined" } satisfies Joined);
    await (locks === undefined ? read() : locks.request(name, { signal }, read));
  } finally {
    channel.close();
  }
}
