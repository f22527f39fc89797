import { delay as waitFor } from "../../kit/clock.ts";
import type { ModelFailure, ModelProvider } from "./model-provider.ts";
import { retryDelay } from "./retry-rule.ts";

export interface RetryParts {
  /** False when the signal came first. */
  readonly delay?: (ms: number, signal: AbortSignal) => Promise<boolean>;
  readonly random?: () => number;
}

/** Tries again what failed before its first part: once something has been told, a second try would tell it twice. */
export function retryingProvider(
  inner: ModelProvider,
  { delay = waitFor, random = Math.random }: RetryParts = {},
): ModelProvider {
  return {
    name: inner.name,
    async *stream(request, signal) {
      let waitedMs = 0;
      for (let tries = 1; ; tries++) {
        let told = false;
        let failure: ModelFailure | null = null;
        for await (const part of inner.stream(request, signal)) {
          const retry =
            part.kind === "failed" && !told ? retryDelay(part.failure, { tries, waitedMs, random: random() }) : null;
          if (part.kind === "failed" && retry !== null) {
            waitedMs += retry;
            ({ failure } = part);
            if (!(await delay(retry, signal)))
              return yield { kind: "failed", failure: { kind: "aborted" }, usage: null };
            break;
          }
          told = true;
          yield part;
        }
        if (failure === null) return;
      }
    },
  };
}
