import type { Logger } from "../host.ts";
import type { TransferredBytes } from "./egress-proxy.ts";

/** Maximum of totals, and of refusals kept and logged, so that a program cannot fill memory or log. */
const MAX_HOSTS = 500;
const MAX_SHOWN = 50;

interface HostTotal extends TransferredBytes {
  readonly host: string;
  readonly connections: number;
}

/** Logs the programs' traffic and refused connections by host, without paths and content. */
export class HostTraffic {
  readonly #logger: Logger;
  readonly #totals = new Map<string, HostTotal>();
  /** The number of each refusal, by its text; the latest last. */
  readonly #refused = new Map<string, number>();
  #others = 0;
  #refusals = 0;
  #logged = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Counts a connection that has ended. */
  closed(host: string, { sent, received }: TransferredBytes): void {
    const before = this.#totals.get(host) ?? { connections: 0, sent: 0, received: 0 };
    if (before.connections === 0 && this.#totals.size === MAX_HOSTS) {
      this.#others += 1;
      return;
    }
    this.#totals.set(host, {
      host,
      connections: before.connections + 1,
      sent: before.sent + sent,
      received: before.received + received,
    });
  }

  /** Logs each text once. */
  refused(host: string, text: string): void {
    const isNew = !this.#refused.delete(text);
    this.#refused.set(text, ++this.#refusals);
    const [oldest] = this.#refused.keys();
    if (oldest !== undefined && this.#refused.size > MAX_HOSTS) this.#refused.delete(oldest);
    if (!isNew || this.#logged === MAX_HOSTS) return;
    this.#logged += 1;
    this.#logger.warn({ host }, "refused a connection of a program");
  }

  /** Marks a moment for {@link refusedSince}. */
  mark(): number {
    return this.#refusals;
  }

  /** The latest reasons given since then, each once. */
  refusedSince(mark: number): readonly string[] {
    const since = [...this.#refused].filter(([, number]) => number > mark).map(([text]) => text);
    return since.slice(-MAX_SHOWN);
  }

  /** Logs the totals of the hosts with most bytes. */
  log(): void {
    if (this.#totals.size === 0) return;
    const hosts = [...this.#totals.values()].toSorted(
      (one, other) => other.sent + other.received - one.sent - one.received,
    );
    const others = this.#others + hosts.slice(MAX_SHOWN).reduce((sum, { connections }) => sum + connections, 0);
    this.#logger.info({ hosts: hosts.slice(0, MAX_SHOWN), other_connections: others }, "reported traffic of programs");
  }
}
