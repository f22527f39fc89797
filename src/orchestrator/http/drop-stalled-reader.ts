import type { ServerResponse } from "node:http";

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
