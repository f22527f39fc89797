import { once } from "node:events";
import { LOG_TAIL } from "../../contract/orchestrator-routes.ts";
import { followEngineLog, tailEngineLog } from "../status/engine-logs.ts";
import type { HostContext } from "../host-context.ts";
import { flagParameter, integerParameter } from "../../shared/http/parameters.ts";
import type { Handler } from "./call.ts";
import { userParameter } from "./engine-routes.ts";
import { StreamSeats } from "./stream-seats.ts";
import { streamSignal } from "./stream-signal.ts";

/** An engine's log as plain text: its last lines, and with `follow=true` each new one until the client leaves. */
export function logsRoute(host: HostContext): Handler {
  const seats = new StreamSeats("log streams");
  return async (call) => {
    const options = { userId: userParameter(call), lines: integerParameter(call, "tail", LOG_TAIL) };
    const follow = flagParameter(call, "follow");
    // A plain tail counts too: a slow reader holds it open.
    using _seat = seats.take(call.product.record.id);
    const { response } = call;
    const signal = streamSignal(host, call);
    const lines = follow
      ? await followEngineLog(host, call.product, { ...options, signal })
      : await tailEngineLog(host, call.product, options);
    response.set({
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    for await (const line of lines) {
      // Waits for a slow reader, so that no lines queue in memory.
      if (!response.write(`${line}\n`)) await once(response, "drain", { signal }).catch(() => undefined);
      if (signal.aborted) break;
    }
    response.end();
    return undefined;
  };
}
