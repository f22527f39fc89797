/** Stands in for `fleet/sockets/refuse-calls.ts`. */
import type { CallAnswer } from "../../../src/orchestrator/fleet/sockets/refuse-calls.ts";
import { ENGINE_ERRORS } from "../../../src/contract/engine/errors.ts";
import { world } from "../kernel/world.ts";

export type { CallAnswer };

export function refuseCalls(listener: number, { code, message }: CallAnswer): () => void {
  const { machine, scheduler } = world();
  const { actor } = scheduler;
  const { status } = ENGINE_ERRORS[code];
  const stop = machine.network
    .of(listener)
    ?.accept(actor ?? machine, (connection) =>
      scheduler.after(
        0,
        "a call is refused",
        () => connection.settle({ kind: "answered", status, body: { error: code, message } }),
        { actor },
      ),
    );
  return () => stop?.();
}
