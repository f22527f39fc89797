import { PROBLEM_HEADER, decodeProblem } from "../../contract/broker/problem.ts";
import { delay } from "../../shared/clock.ts";

/** A broker that ended is back within 200 ms. */
const RETRY_MS = 25;
const MAX_TRIES = 80;

/**
 * A `fetch` to the broker of model calls. A call that the broker's end has cut before its answer is sent again, which is no
 * failure of the provider. Where the broker cannot reach the provider, this fails as a call of the provider itself would.
 */
export const brokerFetch =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    for (let tries = 1; ; tries++) {
      const response = await send(input, init).catch((error: unknown) => {
        if (tries === MAX_TRIES || init?.signal?.aborted === true || !isResendable(init?.body)) throw error;
        return null;
      });
      if (response === null) {
        await delay(RETRY_MS, init?.signal ?? undefined);
        continue;
      }
      const problem = response.headers.get(PROBLEM_HEADER);
      if (problem === null) return response;
      await response.body?.cancel();
      throw failedFetch(problem);
    }
  };

/** A body that is read while it is sent cannot be sent again. */
const isResendable = (body: RequestInit["body"] | undefined): boolean => typeof body === "string";

/** As `fetch` of Node.js fails. */
function failedFetch(text: string): Error {
  const { name, message, ...problem } = decodeProblem(text);
  const cause = Object.assign(new Error(message), problem);
  if (name === "Error") return new TypeError("fetch failed", { cause });
  cause.name = name;
  return cause;
}
