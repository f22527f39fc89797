import type { BrokerReport } from "../../../contract/broker/broker-order.ts";
import type { Forgotten } from "../../../contract/broker/forget.ts";
import type { OnceRoad } from "./once-road.ts";

/** What engines are told of the broker of model calls. */
export interface BrokerAccess {
  /** As engines reach it. */
  readonly url: string;
  readonly sealingKey: Uint8Array;
}

/** The broker of model calls, which holds the keys of providers in the engines' place. */
export interface ModelBroker {
  /** For an engine that is about to start with a provider. It starts the broker if none runs, and does not wait for it. */
  access(): BrokerAccess;
  /** What it shows with its questions to the daemon. */
  readonly questionToken: string;
  /** The same, and starts nothing. */
  readonly reach: BrokerAccess;
  /**
   * Tells it what it must ask anew. Resolves when it has heard of it, or after a second: what it knows ends by itself
   * within a minute. Never rejects.
   */
  forget(what: Forgotten): Promise<void>;
  /** Sends what must be sent once. Null for a broker that may be several, none of which knows what another has sent. */
  readonly once: OnceRoad | null;
  /** Null while none runs, or where the daemon does not run it. */
  report(): BrokerReport | null;
  /**
   * Since when engines of this host start with its address. Engines that started earlier hold keys
   * themselves. Null where the daemon does not know.
   */
  readonly since: Date | null;
  /** How often it was started again after an end. */
  readonly restarts: number;
  /** Ends the broker itself, with the engines. */
  stop(): Promise<void>;
  /** Leaves the broker to the next daemon. */
  close(): void;
}
