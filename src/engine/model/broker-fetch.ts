import {
  BUDGETED_HEADER,
  type BudgetRefusal,
  PROBLEM_HEADER,
  REFUSAL_HEADER,
  decodeProblem,
  decodeRefusal,
} from "../../contract/broker/problem.ts";
import { delay } from "../../shared/clock.ts";

/** A broker that ended is back within 200 ms. */
const RETRY_MS = 25;
const MAX_TRIES = 80;
const MAX_DEPTH = 6;

/**
 * A `fetch` to the broker of model calls. A call that the broker's end has cut before its answer is sent again, which is no
 * failure of the provider. Where the broker cannot reach the provider, this fails as a call of the provider itself would.
 * A budget that does not allow the call is a {@link OverBudget}.
 */
export const brokerFetch =
  (send: typeof fetch, hasBudgets: () => boolean = () => false): typeof fetch =>
  async (input, given) => {
    const init = hasBudgets() ? withHeader(given, BUDGETED_HEADER) : given;
    for (let tries = 1; ; tries++) {
      const response = await send(input, init).catch((error: unknown) => {
        if (tries === MAX_TRIES || init?.signal?.aborted === true || !isResendable(init?.body)) throw error;
        return null;
      });
      if (response === null) {
        await delay(RETRY_MS, init?.signal ?? undefined);
        continue;
      }
      const refusal = response.headers.get(REFUSAL_HEADER);
      if (refusal !== null) {
        await response.body?.cancel();
        throw new OverBudget(decodeRefusal(refusal));
      }
      const problem = response.headers.get(PROBLEM_HEADER);
      if (problem === null) return response;
      await response.body?.cancel();
      throw failedFetch(problem);
    }
  };

/** The broker has not made the call. */
class OverBudget extends Error {
  override readonly name = "OverBudget";
  readonly refusal: BudgetRefusal;

  constructor(refusal: BudgetRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The refusal behind an error, which a provider's package may have wrapped. */
export function refusalBehind(error: unknown): BudgetRefusal | null {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_DEPTH; at = at.cause, depth++)
    if (at instanceof OverBudget) return at.refusal;
  return null;
}

function withHeader(init: RequestInit | undefined, name: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set(name, "1");
  return { ...init, headers };
}

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
