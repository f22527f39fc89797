import { setTimeout as sleep } from "node:timers/promises";
import { hasCode } from "../../shared/error-code.ts";
import type { Logger } from "../../shared/logger.ts";
import { duplicate } from "../../shared/linux/listening-sockets.ts";
import { closeDescriptor } from "../../shared/linux/process-limits.ts";
import { nativeProblem } from "../../shared/linux/system-calls.ts";
import { sendDatagram } from "../../shared/linux/unix-datagram.ts";
import type { SocketStore } from "../fleet/socket-store.ts";

const RETRY_MS = 10;
/** A service manager that reads nothing for so long gets no more of what waits. */
const MAX_WAIT_MS = 30_000;

export interface ServiceManagerOptions {
  /** `NOTIFY_SOCKET`. Undefined: there is no service manager, and nothing is sent. */
  readonly notifySocket: string | undefined;
  /** Whether the service manager waits for `WATCHDOG=1`. */
  readonly watchdog: boolean;
  /** The descriptors that it kept since the last daemon, by name. */
  readonly kept: ReadonlyMap<string, number>;
  readonly logger: Logger;
}

interface Message {
  readonly text: string;
  /** A duplicate, closed once it is sent. */
  readonly descriptor: number | null;
  readonly deadline: number;
}

/** Speaks sd_notify(3) with systemd, and keeps descriptors in its store. Messages arrive in the order of the calls. */
export class ServiceManager implements SocketStore {
  readonly kept: ReadonlyMap<string, number>;
  readonly #options: ServiceManagerOptions;
  readonly #waiting: Message[] = [];
  #sending = Promise.resolve();
  #status = "";

  constructor(options: ServiceManagerOptions) {
    this.#options = options;
    this.kept = options.kept;
    const problem = options.notifySocket === undefined ? null : nativeProblem();
    if (problem !== null) options.logger.error({ reason: problem }, "failed to notify the service manager");
  }

  ready(): void {
    this.#send("READY=1");
  }

  stopping(): void {
    this.#send("STOPPING=1");
  }

  /** For `systemctl status`, once for each change. */
  status(text: string): void {
    if (text === this.#status) return;
    this.#status = text;
    this.#send(`STATUS=${text}`);
  }

  /** The daemon's main loop has advanced. Without such a word for a while it is restarted. */
  advanced(): void {
    if (this.#options.watchdog) this.#send("WATCHDOG=1");
  }

  add(name: string, descriptor: number): void {
    this.#send(`FDSTORE=1\nFDNAME=${name}`, descriptor);
  }

  remove(name: string): void {
    this.#send(`FDSTOREREMOVE=1\nFDNAME=${name}`);
  }

  /** Resolves when what was sent before has arrived, or is given up. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  #send(text: string, descriptor: number | null = null): void {
    const { notifySocket } = this.#options;
    if (notifySocket === undefined || nativeProblem() !== null) return;
    if (this.#waiting.length === 0 && this.#try(notifySocket, { text, descriptor })) return;
    const copy = descriptor === null ? null : duplicate(descriptor);
    this.#waiting.push({ text, descriptor: copy, deadline: Date.now() + MAX_WAIT_MS });
    if (this.#waiting.length === 1) this.#sending = this.#sendWaiting(notifySocket);
  }

  async #sendWaiting(notifySocket: string): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const late = Date.now() > next.deadline;
      if (late) this.#options.logger.error({ state: next.text }, "the service manager does not read notifications");
      if (late || this.#try(notifySocket, next)) {
        this.#waiting.shift();
        if (next.descriptor !== null) closeDescriptor(next.descriptor);
      } else await sleep(RETRY_MS);
    }
  }

  /** False when the service manager's queue is full. Any other failure is logged: a later try would fail too. */
  #try(notifySocket: string, { text, descriptor }: Pick<Message, "text" | "descriptor">): boolean {
    try {
      sendDatagram(notifySocket, text, descriptor);
    } catch (error) {
      if (hasCode(error, "EAGAIN")) return false;
      this.#options.logger.warn({ err: error, state: text }, "failed to notify the service manager");
    }
    return true;
  }
}
