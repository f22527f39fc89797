/** Stands in for `fleet/sockets/await-connection.ts`. */
import { world } from "../kernel/world.ts";

export function awaitConnection(listener: number, onConnection: () => void): () => void {
  const { machine, scheduler } = world();
  const { actor } = scheduler;
  let isOver = false;
  let stop: () => void = () => undefined;
  const end = () => {
    isOver = true;
    stop();
  };
  let isTold = false;
  const told = () => {
    if (isTold) return;
    isTold = true;
    scheduler.after(
      0,
      "a call waits",
      () => {
        if (isOver) return;
        end();
        onConnection();
      },
      { actor },
    );
  };
  stop = machine.network.of(listener)?.watch(actor ?? end, told) ?? stop;
  return end;
}
