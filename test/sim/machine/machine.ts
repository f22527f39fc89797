import type { Actor } from "../kernel/scheduler.ts";
import type { SocketStore } from "../../../src/orchestrator/fleet/sockets/socket-store.ts";
import { world } from "../kernel/world.ts";
import { Folders } from "./folders.ts";
import { Network } from "./network.ts";
import type { Process } from "./process.ts";

/** The machine of the fleet: processes, sockets, files. It outlives the daemons. */
export class Machine {
  readonly network = new Network();
  readonly folders = new Folders();
  readonly processes = new Map<number, Process>();
  /** Changes with each boot of the machine. */
  bootId = "boot 1";
  lastPid = 1000;
  /** How often an engine's program has begun, also in a spare. */
  launches = 0;
  readonly #stored = new Map<string, number>();

  /** The engines' processes, those that wait for an engine left out. */
  engines(): readonly Process[] {
    return [...this.processes.values()].filter(({ engine }) => engine !== null);
  }

  /** The processes that wait for an engine, of one daemon or of all. */
  spares(owner: Actor | null = null): readonly Process[] {
    return [...this.processes.values()].filter((one) => one.engine === null && (owner === null || one.owner === owner));
  }

  /** A daemon has ended: the kernel closes its descriptors, at which its spares end. */
  ended(daemon: Actor): void {
    this.network.closeAllOf(daemon);
    for (const spare of this.spares(daemon)) spare.end({ code: 0, signal: null, oom: false });
  }

  /** A process by the incarnation that it was started for. */
  ofIncarnation(incarnation: string): Process | undefined {
    return this.engines().find(({ engine }) => engine?.incarnation === incarnation);
  }

  /** What a service manager keeps for the next daemon, which this one gets copies of. */
  socketStore(): SocketStore {
    const { network } = this;
    const stored = this.#stored;
    const holder = world().scheduler.actor ?? this;
    const kept = new Map<string, number>();
    for (const [name, descriptor] of stored) {
      const socket = network.of(descriptor);
      if (socket !== undefined) kept.set(name, network.share(socket, holder));
    }
    const remove = (name: string) => {
      const descriptor = stored.get(name);
      stored.delete(name);
      if (descriptor !== undefined) network.close(descriptor);
    };
    const add = (name: string, descriptor: number) => {
      const socket = network.of(descriptor);
      if (socket === undefined) return;
      remove(name);
      stored.set(name, network.share(socket, stored));
    };
    return { kept, add, remove };
  }
}
