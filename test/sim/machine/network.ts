import type { Actor } from "../kernel/scheduler.ts";
import { world } from "../kernel/world.ts";

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export type Outcome =
  | { readonly kind: "answered"; readonly status: number; readonly body: unknown }
  /** Nothing listens on the port. */
  | { readonly kind: "refused" }
  /** The connection ended without an answer. */
  | { readonly kind: "reset" };

/** One call. It waits in the kernel until a program accepts it. */
export interface Connection {
  readonly request: Request;
  /** The caller has gone. */
  isClosed: boolean;
  isAnswered: boolean;
  settle(outcome: Outcome): void;
}

type Accept = (connection: Connection) => void;

/** A listening socket, which exists as long as somebody has a descriptor of it. */
export class ListeningSocket {
  readonly port: number;
  readonly holders = new Set<object>();
  readonly #waiting: Connection[] = [];
  #accepting: { readonly holder: object; readonly accept: Accept }[] = [];
  #watching: { readonly holder: object; readonly notice: () => void }[] = [];

  constructor(port: number) {
    this.port = port;
  }

  /** Whether a program waits for a call, and none answers them. */
  get isWatched(): boolean {
    return this.#watching.length > 0 && this.#accepting.length === 0;
  }

  arrive(connection: Connection): void {
    const [first] = this.#accepting;
    if (first !== undefined) return first.accept(connection);
    this.#waiting.push(connection);
    for (const { notice } of this.#watching) notice();
  }

  /** Takes waiting and new connections. Returns a function that stops it. */
  accept(holder: object, accept: Accept): () => void {
    const one = { holder, accept };
    this.#accepting.push(one);
    for (const connection of this.#waiting.splice(0)) if (!connection.isClosed) accept(connection);
    return () => {
      this.#accepting = this.#accepting.filter((other) => other !== one);
    };
  }

  /** Calls back while connections wait, at once if one does. Returns a function that stops it. */
  watch(holder: object, notice: () => void): () => void {
    const one = { holder, notice };
    this.#watching.push(one);
    if (this.#waiting.length > 0) notice();
    return () => {
      this.#watching = this.#watching.filter((other) => other !== one);
    };
  }

  /** A program has closed its last descriptor. */
  forget(holder: object): void {
    this.holders.delete(holder);
    this.#accepting = this.#accepting.filter((one) => one.holder !== holder);
    this.#watching = this.#watching.filter((one) => one.holder !== holder);
  }

  /** The last descriptor is closed. */
  destroy(): void {
    for (const connection of this.#waiting.splice(0)) connection.settle({ kind: "reset" });
  }
}

/** The listening sockets of the machine, and the descriptors of them. */
export class Network {
  readonly #sockets = new Map<number, ListeningSocket>();
  readonly #descriptors = new Map<number, { readonly socket: ListeningSocket; readonly holder: object }>();
  #next = 100;

  /** Null when the port is taken. */
  listen(port: number, holder: object): number | null {
    if (this.#sockets.has(port)) return null;
    const socket = new ListeningSocket(port);
    this.#sockets.set(port, socket);
    return this.share(socket, holder);
  }

  share(socket: ListeningSocket, holder: object): number {
    const descriptor = this.#next++;
    socket.holders.add(holder);
    this.#descriptors.set(descriptor, { socket, holder });
    return descriptor;
  }

  of(descriptor: number): ListeningSocket | undefined {
    return this.#descriptors.get(descriptor)?.socket;
  }

  at(port: number): ListeningSocket | undefined {
    return this.#sockets.get(port);
  }

  close(descriptor: number): void {
    const found = this.#descriptors.get(descriptor);
    if (found === undefined) return;
    this.#descriptors.delete(descriptor);
    const { socket, holder } = found;
    const isHeld = [...this.#descriptors.values()].some((one) => one.socket === socket && one.holder === holder);
    if (!isHeld) socket.forget(holder);
    if (socket.holders.size > 0) return;
    this.#sockets.delete(socket.port);
    socket.destroy();
  }

  /** A process has ended: the kernel closes its descriptors. */
  closeAllOf(holder: object): void {
    for (const [descriptor, one] of this.#descriptors) if (one.holder === holder) this.close(descriptor);
  }

  /** Calls a port. `onOutcome` runs as a task of the caller, at most once. Returns a function that gives up. */
  call(port: number, request: Request, onOutcome: (outcome: Outcome) => void): () => void {
    const { scheduler, latency } = world();
    const caller: Actor | null = scheduler.actor;
    const label = `${request.method} :${port}${request.path}`;
    const connection: Connection = {
      request,
      isClosed: false,
      isAnswered: false,
      settle(outcome) {
        if (connection.isAnswered) return;
        connection.isAnswered = true;
        const shown = outcome.kind === "answered" ? String(outcome.status) : outcome.kind;
        scheduler.after(latency("from engine"), `${label}: ${shown}`, () => connection.isClosed || onOutcome(outcome), {
          actor: caller,
        });
      },
    };
    scheduler.after(
      latency("to engine"),
      label,
      () => {
        if (connection.isClosed) return;
        const socket = this.#sockets.get(port);
        if (socket === undefined) connection.settle({ kind: "refused" });
        else socket.arrive(connection);
      },
      // The kernel accepts it, whatever the programs do.
      { actor: null },
    );
    return () => {
      connection.isClosed = true;
    };
  }
}
