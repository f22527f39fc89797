/** Stands in for `engine-calls/ask-engine.ts`: a call over the simulated network. Never rejects. */
import type { askEngine as real } from "../../../src/orchestrator/engine-calls/ask-engine.ts";
import { world } from "../kernel/world.ts";
import type { Outcome } from "../machine/network.ts";

export const askEngine: typeof real = async ({ url, method = "GET", headers = {}, body, timeoutMs, signal }) => {
  const { port, pathname, search } = new URL(url);
  const outcome = await new Promise<Outcome | "late" | "aborted">((resolve) => {
    const giveUp = world().machine.network.call(
      Number(port),
      {
        method,
        path: pathname + search,
        headers,
        body: body === undefined ? undefined : (JSON.parse(JSON.stringify(body)) as unknown),
      },
      (answer) => {
        clearTimeout(late);
        resolve(answer);
      },
    );
    const end = (why: "late" | "aborted") => {
      clearTimeout(late);
      giveUp();
      resolve(why);
    };
    const late = setTimeout(() => end("late"), timeoutMs);
    if (signal?.aborted) end("aborted");
    else signal?.addEventListener("abort", () => end("aborted"), { once: true });
  });
  if (outcome === "late") return { kind: "failed", reason: `no answer within ${timeoutMs} ms` };
  if (outcome === "aborted") return { kind: "failed", reason: "the call was aborted" };
  switch (outcome.kind) {
    case "answered":
      return { kind: "answered", status: outcome.status, body: outcome.body };
    case "refused":
      return { kind: "failed", reason: "nothing listens on the port" };
    case "reset":
      return { kind: "failed", reason: "socket hang up" };
    default:
      return outcome satisfies never;
  }
};
