/** Keeps copies of listening sockets while no daemon runs, as systemd does. Names are ports. */
export interface SocketStore {
  /** What it has kept since the last daemon. The descriptors are the caller's. */
  readonly kept: ReadonlyMap<string, number>;
  add(name: string, descriptor: number): void;
  remove(name: string): void;
}

export const NO_STORE: SocketStore = { kept: new Map(), add: () => undefined, remove: () => undefined };
