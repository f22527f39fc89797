import { type Forgotten, isForgotten } from "../contract/broker/forget.ts";
import type { Asked } from "../contract/broker/questions.ts";
import type { Misuse } from "../contract/broker/secret-calls.ts";
import type { EngineStart } from "../contract/broker/engine-key.ts";
import type { DaemonRoad } from "./ask-daemon.ts";
import type { Secret } from "./secret-forms.ts";

/** How long a value is used before the daemon is asked again: one that was deleted while it could not tell works no longer. */
const KEPT_MS = 5000;
const MAX_KEPT = 1024;
/** Events of one engine in this time, for a tool can cause as many refusals as it wants. */
const EVENTS = { count: 10, withinMs: 60_000 } as const;
const MAX_COUNTED = 4096;

interface Kept {
  readonly engine: string;
  readonly name: string;
  readonly secret: Promise<Secret | null>;
  readonly until: number;
}

/** What the broker knows of secrets: what the daemon said in the last seconds. */
export class SecretValues {
  readonly #road: Pick<DaemonRoad, "ask">;
  readonly #kept = new Map<string, Kept>();
  readonly #told = new Map<string, { count: number; since: number }>();

  constructor(road: Pick<DaemonRoad, "ask">) {
    this.#road = road;
  }

  /** Null when there is none, or it cannot be read. */
  find({ engine, incarnation }: EngineStart, name: string): Promise<Secret | null> {
    const key = JSON.stringify([engine, incarnation, name]);
    const now = performance.now();
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > now) return known.secret;
    for (const [old, { until }] of this.#kept)
      if (until <= now || this.#kept.size >= MAX_KEPT) this.#kept.delete(old);
      else break;
    const secret = this.#road.ask("secret", { engine, incarnation, name }).then((answer) => answer.secret);
    const kept = { engine, name, secret, until: now + KEPT_MS };
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    secret.catch(() => {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return secret;
  }

  /** An answer that is still awaited is given to those who wait for it, and to nobody else. */
  forget({ engines, secrets }: Forgotten): void {
    for (const [key, kept] of this.#kept) if (isForgotten(engines, secrets, kept)) this.#kept.delete(key);
  }

  async hosts({ engine, incarnation }: EngineStart, names: readonly string[]): Promise<Record<string, string[]>> {
    return (await this.#road.ask("secret_hosts", { engine, incarnation, names: [...names] })).hosts;
  }

  /** Tells the daemon of a refusal, unless it has been told of many. */
  async misused(
    { engine, incarnation }: EngineStart,
    what: { readonly name: string; readonly misuse: Misuse; readonly host: string },
  ): Promise<void> {
    const now = performance.now();
    const before = this.#told.get(engine);
    const isNew = before === undefined || now - before.since > EVENTS.withinMs;
    const told = isNew ? { count: 0, since: now } : before;
    if (isNew && this.#told.size >= MAX_COUNTED) this.#told.clear();
    this.#told.set(engine, told);
    if (++told.count > EVENTS.count) return;
    const asked: Asked<"misused"> = { engine, incarnation, ...what, host: what.host.slice(0, 300) };
    await this.#road.ask("misused", asked);
  }
}
