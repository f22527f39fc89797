import type { LookupAddress } from "node:dns";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { EngineStart } from "../contract/broker/engine-key.ts";
import type { Placeholder } from "../contract/broker/placeholder.ts";
import type { Replacement } from "./replace-stream.ts";

/** A call of an engine that this process is to send on. */
export interface EngineCall {
  readonly caller: EngineStart;
  readonly engineKey: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the engine is gone. */
  readonly signal: AbortSignal;
}

/** The request that goes out for a call, once it is settled that it may. */
export interface Outgoing {
  readonly url: URL;
  /** All but those of the framing. */
  readonly headers: readonly string[];
  /** Checked for this request. */
  readonly addresses: readonly LookupAddress[];
  readonly body: OutgoingBody;
  /** What is cut out of the answer. Asked for when it has begun, for a body may name more than its head. */
  readonly hidden: () => readonly Replacement[];
  /** The request that follows instead of this answer. Null: the answer is passed on. Rejects with {@link Refusal}. */
  readonly instead?: (answer: IncomingMessage) => Promise<Outgoing | null>;
}

type OutgoingBody =
  | { readonly kind: "whole"; readonly bytes: Buffer | null }
  /** As it arrives. */
  | { readonly kind: "unread" }
  /** As it arrives, with values in place of placeholders. */
  | {
      readonly kind: "filled";
      readonly valueOf: (placeholder: Placeholder) => Promise<string>;
      readonly keepsLength: boolean;
    };

/** A call that is answered here, and not sent. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}
