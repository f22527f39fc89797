import { PLATFORM_KEY_HEADER } from "../../contract/orchestrator-api.ts";
import { ApiError } from "../api-error.ts";
import { identifyProduct } from "../operations/identify-product.ts";
import type { Orchestration } from "../operations/orchestration.ts";
import type { Call } from "./call.ts";

const CHECK_MS = 5000;

/** For an answer that goes on: aborted when the client leaves, the daemon stops, or the platform key is no longer good. */
export function streamSignal(o: Orchestration, call: Call): AbortSignal {
  const refused = new AbortController();
  const signal = AbortSignal.any([call.clientGone, o.stopping, refused.signal]);
  const key = call.headers[PLATFORM_KEY_HEADER.toLowerCase()];
  if (typeof key !== "string") return signal;
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
