import type { Logger } from "../../../shared/logger.ts";
import type { TransferredBytes } from "./egress-proxy.ts";

/** Different hosts that are counted and logged; further ones only count as such. */
const MAX_HOSTS = 500;
const MAX_NOTED = 20;

interface HostTotal {
  connections: number;
  sent: number;
  received: number;
}

/** What went to which host, and what was refused: in the log by host, without paths and content. */
export class HostTraffic {
  readonly #logger: Logger;
  readonly #totals = new Map<string, HostTotal>();
  readonly #refused = new Map<string, number>();
  #others = 0;
  #refusals = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  closed(host: string, { sent, received }: TransferredBytes): void {
    const total = this.#totals.get(host) ?? { connections: 0, sent: 0, received: 0 };
    if (!this.#totals.has(host) && this.#totals.size >= MAX_HOSTS) {
      this.#others += 1;
      return;
    }
    this.#totals.set(host, {
      connections: total.connections + 1,
      sent: total.sent + sent,
      received: total.received + received,
    });
  }

  /** Logs a host once, so that a tool cannot fill the log. */
  refused(host: string, text: string): void {
    this.#refusals += 1;
    const isNew = !this.#refused.has(text);
    if (isNew && this.#refused.size >= MAX_HOSTS) return;
    this.#refused.delete(text);
    this.#refused.set(text, this.#refusals);
    if (isNew) this.#logger.warn({ host }, "refused a connection of a tool");
  }

  /** Marks a moment for {@link refusedSince}. */
  mark(): number {
    return this.#refusals;
  }

  /** The reasons given since then, each once. */
  refusedSince(mark: number): readonly string[] {
    const since = [...this.#refused].filter(([, at]) => at > mark).map(([text]) => text);
    return since.slice(-MAX_NOTED);
  }

  /** Logs the totals by host. */
  log(): void {
    for (const [host, total] of this.#totals) this.#logger.info({ host, ...total }, "traffic of tools");
    if (this.#others > 0) this.#logger.info({ connections: this.#others }, "traffic of tools with other hosts");
  }
}
