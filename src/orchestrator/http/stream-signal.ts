import { PLATFORM_KEY_HEADER } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import { identifyProduct } from "../operations/identify-product.ts";
import type { HostContext } from "../host-context.ts";
import type { Call } from "./call.ts";
import { dropStalledReader } from "./drop-stalled-reader.ts";

const CHECK_MS = 5000;
const KEEP_ALIVE_MS = 30_000;

/**
 * For an answer that is streamed: aborted when the client leaves or stops reading, when the daemon stops, or when the
 * platform key is no longer good.
 */
export function streamSignal(o: HostContext, call: Call): AbortSignal {
  const refused = new AbortController();
  const signal = AbortSignal.any([call.clientGone, o.stopping, refused.signal]);
  // A client that left while it was authenticated: its `close` event is over.
  if (call.response.destroyed) refused.abort();
  dropStalledReader(call.response);
  // One that vanished without closing its connection is found out although nothing is written to it.
  call.response.socket?.setKeepAlive(true, KEEP_ALIVE_MS);
  const key = call.headers[PLATFORM_KEY_HEADER.toLowerCase()];
  if (typeof key !== "string" || signal.aborted) return signal;
  const checks = setInterval(() => {
    identifyProduct(o, key).catch((error: unknown) => {
      // While the database is away nobody can say.
      if (error instanceof ApiError) refused.abort();
    });
  }, CHECK_MS);
  checks.unref();
  signal.addEventListener("abort", () => clearInterval(checks), { once: true });
  return signal;
}
