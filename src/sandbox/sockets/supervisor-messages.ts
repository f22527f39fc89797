import type { SocketRules } from "./socket-decision.ts";

export interface SupervisorData {
  /** The end of a pipe. It is readable when there are orders, and at its end the thread ends. */
  readonly wake: number;
}

/** To the thread that supervises the sockets of programs. */
export type SupervisorOrder =
  | { readonly kind: "serve"; readonly listener: number; readonly rules: SocketRules }
  | { readonly kind: "release"; readonly listener: number };

/** The thread does not use this listener any more. */
export interface ListenerReleased {
  readonly released: number;
}
