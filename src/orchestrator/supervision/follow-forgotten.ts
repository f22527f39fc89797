import { type Forgotten, forgottenEngine } from "../../contract/broker/forget.ts";
import { inBackground } from "../../shared/background.ts";
import type { HostContext } from "../host-context.ts";
import { ALL_FORGOTTEN } from "../store/forgotten-answers.ts";

/**
 * Tells the broker what it must ask anew: the secrets and connections that a daemon of whichever host has changed, and the
 * engines of this one whose start has ended.
 */
export function followForgotten({
  broker,
  directory,
  states,
}: Pick<HostContext, "broker" | "directory" | "states">): void {
  if (broker === null) return;
  const forget = (what: Forgotten) => inBackground("answers to the broker", broker.forget(what));
  // The broker of an earlier daemon was told nothing since that one ended.
  forget(ALL_FORGOTTEN);
  directory.onForgotten(forget);
  states.onEnded((id) => forget(forgottenEngine(id)));
}
