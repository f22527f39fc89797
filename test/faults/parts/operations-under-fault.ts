import { type Answer, ask } from "../../helpers/api.ts";
import { until } from "../../helpers/until.ts";
import type { Product, Site } from "./site.ts";

export type EndState = "gone" | "running" | "sleeping" | "stopped" | "failed";

/** One operation, its initial state and its legal states after a fault. */
export interface OperationUnderFault {
  readonly name: string;
  /** The engine's initial state. */
  readonly from: EndState;
  readonly run: (product: Product, user: string) => Promise<Answer>;
  readonly done: EndState;
  /** Further legal states after a failed call of a running daemon. */
  readonly alsoAfterFailure: readonly EndState[];
}

export const OPERATIONS: readonly OperationUnderFault[] = [
  {
    name: "provision",
    from: "gone",
    run: (p, user) => p.post("/engines/provision", { user_id: user }),
    done: "running",
    alsoAfterFailure: [],
  },
  {
    name: "start",
    from: "stopped",
    run: (p, user) => p.post(`/engines/${user}/start`),
    done: "running",
    alsoAfterFailure: ["failed"],
  },
  {
    name: "stop",
    from: "running",
    run: (p, user) => p.post(`/engines/${user}/stop`, { force: true }),
    done: "stopped",
    alsoAfterFailure: [],
  },
  {
    name: "sleep",
    from: "running",
    run: (p, user) => p.post(`/engines/${user}/sleep`),
    done: "sleeping",
    alsoAfterFailure: [],
  },
  {
    name: "wake by a call",
    from: "sleeping",
    async run(p, user) {
      const { body } = await p.get(`/engines/${user}`);
      return ask(body.url, "/health");
    },
    done: "running",
    alsoAfterFailure: [],
  },
  {
    name: "rotate-key",
    from: "running",
    run: (p, user) => p.post(`/engines/${user}/rotate-key`, { grace_s: 60 }),
    done: "running",
    alsoAfterFailure: [],
  },
  {
    name: "destroy",
    from: "running",
    run: (p, user) => p.del(`/engines/${user}`),
    done: "gone",
    alsoAfterFailure: [],
  },
];

export async function stateOf({ db }: Site, user: string): Promise<EndState> {
  const { rows } = await db.query("select state from engines where user_id = $1", [user]);
  return rows[0]?.state ?? "gone";
}

/** Brings a user's engine to the initial state of an operation with API calls. */
export async function bring(site: Site, user: string, to: EndState): Promise<void> {
  const { product } = site;
  const step = async (): Promise<unknown> => {
    const now = await stateOf(site, user);
    if (now === to) return true;
    if (to === "gone") await retryUntilStopped(() => product.del(`/engines/${user}`));
    else if (now === "gone") await retryUntilStopped(() => product.post("/engines/provision", { user_id: user }));
    else if (to === "sleeping" && now === "running")
      await retryUntilStopped(() => product.post(`/engines/${user}/sleep`));
    else if (to === "running" || to === "sleeping")
      await retryUntilStopped(() => product.post(`/engines/${user}/start`));
    else await retryUntilStopped(() => product.post(`/engines/${user}/stop`));
    return (await stateOf(site, user)) === to;
  };
  await until(`${user} is ${to}`, step, 20_000);
}

async function retryUntilStopped(call: () => Promise<Answer>): Promise<void> {
  const { status, text } = await call();
  if (status >= 300) throw new Error(text);
}
