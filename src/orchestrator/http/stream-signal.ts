import type { ServerResponse } from "node:http";
import type { HostContext } from "../host-context.ts";
import type { Call } from "./call.ts";

const CHECK_MS = 5000;
const KEEP_ALIVE_MS = 30_000;

/**
 * The signal of a streamed response: aborted when the client disconnects or stops reading, the daemon stops, or the key or
 * session of the call is no longer valid.
 */
export function streamSignal(host: Pick<HostContext, "stopping">, call: Call): AbortSignal {
  const refused = new AbortController();
  const signal = AbortSignal.any([call.clientGone, host.stopping, refused.signal]);
  // A client that disconnected during authentication has emitted `close` already.
  if (call.response.destroyed) refused.abort();
  dropStalledReader(call.response);
  // TCP keep-alive detects a client that vanished without closing its connection.
  call.response.socket?.setKeepAlive(true, KEEP_ALIVE_MS);
  endWhenRefused({
    response: call.response,
    isStillAdmitted: () => call.isStillAdmitted(),
    end: () => refused.abort(),
  });
  return signal;
}

/** Ends a streamed response when the caller's key or session is no longer valid. */
export function endWhenRefused({
  response,
  isStillAdmitted,
  end,
}: {
  readonly response: ServerResponse;
  readonly isStillAdmitted: () => Promise<boolean>;
  readonly end: () => void;
}): void {
  if (response.closed) return;
  const checks = setInterval(() => {
    isStillAdmitted().then(
      (admitted) => {
        if (!admitted) end();
      },
      // A database error says nothing about the key.
      () => undefined,
    );
  }, CHECK_MS);
  checks.unref();
  response.once("close", () => clearInterval(checks));
}

const STALLED_MS = 30_000;
const CHECKS = 10;

/**
 * Destroys a response whose buffer has been full for `stalledMs`. Writers may therefore wait for `drain` without a
 * deadline, if they also stop on `close`.
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
