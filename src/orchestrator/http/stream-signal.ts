import type { ServerResponse } from "node:http";
import { PLATFORM_KEY_HEADER } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import { identifyProduct } from "../operations/identify-product.ts";
import type { HostContext } from "../host-context.ts";
import type { Call } from "./call.ts";

const CHECK_MS = 5000;
const KEEP_ALIVE_MS = 30_000;

/**
 * For an answer that is streamed: aborted when the client leaves or stops reading, when the daemon stops, or when the
 * platform key is no longer good.
 */
export function streamSignal(host: HostContext, call: Call): AbortSignal {
  const refused = new AbortController();
  const signal = AbortSignal.any([call.clientGone, host.stopping, refused.signal]);
  // A client that disconnected during authentication has emitted `close` already.
  if (call.response.destroyed) refused.abort();
  dropStalledReader(call.response);
  // TCP keep-alive detects a client that vanished without closing its connection.
  call.response.socket?.setKeepAlive(true, KEEP_ALIVE_MS);
  const key = call.headers[PLATFORM_KEY_HEADER.toLowerCase()];
  if (typeof key !== "string" || signal.aborted) return signal;
  const checks = setInterval(() => {
    identifyProduct(host, key).catch((error: unknown) => {
      // A database error says nothing about the key.
      if (error instanceof ApiError) refused.abort();
    });
  }, CHECK_MS);
  checks.unref();
  signal.addEventListener("abort", () => clearInterval(checks), { once: true });
  return signal;
}

const STALLED_MS = 30_000;
const CHECKS = 10;

/**
 * Destroys a response whose reader does not read: its buffer has been full for `stalledMs`. Whoever writes may then
 * wait for `drain` without a deadline of its own, as long as it also stops on `close`.
 */
export function dropStalledReader(response: ServerResponse, stalledMs = STALLED_MS): void {
  let fullSince: number | null = null;
  response.on("drain", () => (fullSince = null));
  const checks = setInterval(() => {
    if (!response.writableNeedDrain) fullSince = null;
    else if (fullSince === null) fullSince = performance.now();
    else if (performance.now() - fullSince >= stalledMs) response.destroy();
  }, stalledMs / CHECKS);
  checks.unref();
  response.once("close", () => clearInterval(checks));
}
