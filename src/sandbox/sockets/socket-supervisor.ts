import type { Host } from "../host.ts";
import { closeDescriptor } from "../processes/process-limits.ts";
import type { SocketRules } from "./socket-decision.ts";
import { SupervisorThread } from "./supervisor-thread.ts";

/** The place of one sandbox at the thread. */
export interface SupervisorSeat {
  /** Takes over the listener of the sandbox. Resolves when it is closed, which ends the network of its programs. */
  serve(listener: number, rules: SocketRules): Promise<void>;
  /** Closes the listener. */
  leave(): void;
}

interface Current {
  readonly thread: Promise<SupervisorThread>;
  seats: number;
}

/** Supervises the sockets of programs, by one thread for all sandboxes. It runs while there are any. */
export class SocketSupervisor {
  readonly #program: string;
  readonly #host: Host;
  #current: Current | null = null;

  constructor({ program, host }: { readonly program: string; readonly host: Host }) {
    this.#program = program;
    this.#host = host;
  }

  join(): SupervisorSeat {
    const current = (this.#current ??= this.#start());
    current.seats += 1;
    let taken: number | null = null;
    let hasLeft = false;
    return {
      serve: async (listener, rules) => {
        const thread = await this.#threadFor(current, listener);
        taken = listener;
        const closed = thread.serve(listener, rules);
        if (hasLeft) thread.release(listener);
        await closed;
      },
      leave: () => {
        if (hasLeft) return;
        hasLeft = true;
        this.#host.inBackground("end of socket supervision", this.#leave(current, taken));
      },
    };
  }

  async #threadFor({ thread }: Current, listener: number): Promise<SupervisorThread> {
    try {
      return await thread;
    } catch (error) {
      closeDescriptor(listener);
      throw error;
    }
  }

  async #leave(current: Current, listener: number | null): Promise<void> {
    current.seats -= 1;
    const isLast = current.seats === 0;
    // At once, so that the next sandbox gets another thread.
    if (isLast) this.#drop(current);
    const thread = await current.thread.catch(() => null);
    if (listener !== null) thread?.release(listener);
    if (isLast) thread?.end();
  }

  #start(): Current {
    const current: Current = { thread: SupervisorThread.open(this.#program), seats: 0 };
    const over = (error: unknown) => {
      this.#drop(current);
      if (error !== null) this.#host.logger.error({ err: error }, "socket supervisor failed");
    };
    current.thread.then(({ ended }) => ended.then(over), over);
    return current;
  }

  #drop(current: Current): void {
    if (this.#current === current) this.#current = null;
  }
}
