import { inBackground } from "../../shared/background.ts";
import { delay } from "../../shared/clock.ts";
import type { Logger } from "../../shared/logger.ts";
import type { ConfiguredServer } from "./configured-server.ts";

/** For all servers of a turn together. */
const MAX_WAIT_MS = 5000;
/** How soon a wait notices that the engine is stopping. */
const POLL_MS = 50;

type AwaitedServer = Pick<ConfiguredServer, "name" | "isAwaited" | "isReady" | "attempted" | "markWaited">;

/** A turn before its first step. */
export interface BeginningTurn {
  readonly turnId: string;
  readonly signal: AbortSignal;
  /** Whether the engine is stopping. */
  readonly parking: () => boolean;
}

/** Lets turns wait for servers whose tools are not known yet: once for each server. */
export class NewServers {
  readonly #logger: Logger;
  /** A turn that begins during a wait waits no longer than the first. */
  readonly #waitEnds = new WeakMap<AwaitedServer, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  async wait(servers: readonly AwaitedServer[], { turnId, signal, parking }: BeginningTurn): Promise<void> {
    const awaited = servers.filter(({ isAwaited }) => isAwaited);
    if (awaited.length === 0) return;
    const began = performance.now();
    const end = Math.max(...awaited.map((server) => this.#endOfWait(server, began)));
    const attempted = new AbortController();
    const all = Promise.all(awaited.map((server) => server.attempted));
    inBackground(
      "first attempts of tool servers",
      all.then(() => attempted.abort()),
    );
    const settled = AbortSignal.any([signal, attempted.signal]);
    const isOver = () => signal.aborted || parking();
    while (!settled.aborted && !parking() && performance.now() < end) await delay(POLL_MS, settled);
    if (isOver()) return;
    for (const server of awaited) server.markWaited();
    const missing = awaited.filter(({ isReady }) => !isReady).map(({ name }) => name);
    const fields = { turn_id: turnId, tool_servers: awaited.map(({ name }) => name), missing };
    this.#logger.info({ ...fields, waited_ms: Math.round(performance.now() - began) }, "waited for new tool servers");
  }

  #endOfWait(server: AwaitedServer, now: number): number {
    const end = this.#waitEnds.get(server) ?? now + MAX_WAIT_MS;
    this.#waitEnds.set(server, end);
    return end;
  }
}
