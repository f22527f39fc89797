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

  /** The engines' processes, those that wait for an engine left out. */
  engines(): readonly Process[] {
    return [...this.processes.values()].filter(({ engine }) => engine !== null);
  }

  /** A process by the incarnation that it was started for. */
  ofIncarnation(incarnation: string): Process | undefined {
    return this.engines().find(({ engine }) => engine?.incarnation === incarnation);
  }
}
