import { hasCode } from "../../../shared/error-code.ts";
import type { Logger } from "../../../shared/logger.ts";
import {
  closeDescriptor,
  copyDescriptor,
  endLostPeers,
  listensOn,
  nativeProblem,
  openListener,
  socketAddress,
} from "../../../sandbox/sockets.ts";
import { PortTaken } from "../launch-failed.ts";
import { awaitConnection } from "./await-connection.ts";
import { type CallAnswer, refuseCalls } from "./refuse-calls.ts";
import { NO_STORE, type SocketStore } from "./socket-store.ts";

/** The descriptor of an engine's listening socket in its process. */
export const ENGINE_LISTENER = 3;
/** The default of Node.js. When it is full, the kernel drops the SYN and the client retries. */
const BACKLOG = 511;

interface EngineSocketsOptions {
  /** The address that engines listen on. */
  readonly host: string;
  readonly logger: Logger;
  /** Default: none. */
  readonly store?: SocketStore | undefined;
}

/** What the rest of the daemon does with the sockets. Only the backend takes them from running processes. */
export type HeldSockets = Pick<
  EngineSockets,
  "restore" | "hold" | "canHold" | "isHeld" | "awaitCall" | "refuse" | "release" | "close"
>;

interface Held {
  readonly port: number;
  readonly descriptor: number;
  stopAwaiting?: (() => void) | undefined;
  stopRefusing?: (() => void) | undefined;
}

/**
 * The listening sockets of engines, held by the daemon while an engine runs, restarts or sleeps. The engine accepts on
 * a copy of its socket. Connections that nobody accepts wait in the kernel, so that no exit of a process loses one.
 * The only owner of these descriptors.
 */
export class EngineSockets {
  readonly #host: string;
  readonly #logger: Logger;
  readonly #store: SocketStore;
  readonly #held = new Map<string, Held>();

  constructor({ host, logger, store = NO_STORE }: EngineSocketsOptions) {
    this.#host = host;
    this.#logger = logger;
    this.#store = store;
  }

  /**
   * Takes back the stored sockets of these engines. The others are closed and removed from the store: their engine was
   * destroyed or moved, or another program left them there.
   */
  restore(engines: readonly { readonly id: string; readonly port: number }[]): void {
    const byPort = new Map(engines.map(({ id, port }) => [String(port), { id, port }]));
    for (const [name, descriptor] of this.#store.kept) {
      const engine = byPort.get(name);
      const address = engine === undefined ? null : this.#address(engine.port);
      if (engine !== undefined && address !== null && listensOn(descriptor, address)) {
        endLostPeers(descriptor);
        this.#held.set(engine.id, { port: engine.port, descriptor });
      } else {
        this.#logger.info({ name }, "closed a stored socket without an engine");
        closeDescriptor(descriptor);
        this.#store.remove(name);
      }
    }
  }

  /**
   * The descriptor of the engine's socket on this port, for an engine that is about to accept: awaiting and refusing
   * end. Null where this host cannot hold sockets: the engine then makes its own. Throws {@link PortTaken}.
   */
  hold(engineId: string, port: number): number | null {
    const address = this.#address(port);
    if (address === null) return null;
    const known = this.#held.get(engineId);
    // A process that has a copy can end the listening by shutdown(2).
    if (known?.port === port && listensOn(known.descriptor, address)) {
      stopListening(known);
      return known.descriptor;
    }
    try {
      const descriptor = openListener(address, BACKLOG);
      this.#keep(engineId, { port, descriptor });
      return descriptor;
    } catch (error) {
      if (!hasCode(error, "EADDRINUSE", "EACCES")) throw error;
      throw new PortTaken(`port ${port} is taken by another program`, { cause: error });
    }
  }

  /** Whether this host can hold a socket on this port, taken or not. */
  canHold(port: number): boolean {
    return this.#address(port) !== null;
  }

  isHeld(engineId: string): boolean {
    return this.#held.has(engineId);
  }

  /** Calls back once when a connection waits, at once if one does already. */
  awaitCall(engineId: string, onCall: () => void): void {
    const held = this.#get(engineId);
    held.stopAwaiting?.();
    held.stopAwaiting = awaitConnection(held.descriptor, () => {
      held.stopAwaiting = undefined;
      onCall();
    });
  }

  /** Answers waiting and new calls, since no engine will accept them soon. */
  refuse(engineId: string, answer: CallAnswer): void {
    const held = this.#get(engineId);
    held.stopRefusing?.();
    held.stopRefusing = refuseCalls(held.descriptor, answer);
  }

  /** Copies the socket of a process that an earlier daemon started. False where the kernel refuses or it has none. */
  take(engineId: string, port: number, pid: number): boolean {
    if (this.#held.get(engineId)?.port === port) return true;
    const address = this.#address(port);
    if (address === null) return false;
    let descriptor: number | undefined;
    try {
      descriptor = copyDescriptor(pid, ENGINE_LISTENER);
      if (!listensOn(descriptor, address)) throw new Error(`descriptor ${ENGINE_LISTENER} does not listen on the port`);
      this.#keep(engineId, { port, descriptor });
      return true;
    } catch (error) {
      if (descriptor !== undefined) closeDescriptor(descriptor);
      this.#logger.debug({ err: error, engine_id: engineId, pid }, "failed to copy the socket of an adopted engine");
      return false;
    }
  }

  /** Closes the daemon's copy. Unless an engine has one, connections are refused from now on. */
  release(engineId: string): void {
    const held = this.#held.get(engineId);
    if (held === undefined) return;
    this.#store.remove(String(held.port));
    this.#close(engineId, held);
  }

  /** Closes all sockets. Engines that run keep their copies, and so does the store. */
  close(): void {
    for (const [engineId, held] of this.#held) this.#close(engineId, held);
  }

  #keep(engineId: string, held: Held): void {
    this.release(engineId);
    endLostPeers(held.descriptor);
    this.#held.set(engineId, held);
    this.#store.add(String(held.port), held.descriptor);
  }

  #close(engineId: string, held: Held): void {
    this.#held.delete(engineId);
    stopListening(held);
    closeDescriptor(held.descriptor);
  }

  #get(engineId: string): Held {
    const held = this.#held.get(engineId);
    if (held === undefined) throw new Error(`no socket is held for engine ${engineId}`);
    return held;
  }

  #address(port: number): ReturnType<typeof socketAddress> {
    return nativeProblem() === null ? socketAddress(this.#host, port) : null;
  }
}

function stopListening(held: Held): void {
  held.stopAwaiting?.();
  held.stopRefusing?.();
  held.stopAwaiting = undefined;
  held.stopRefusing = undefined;
}
