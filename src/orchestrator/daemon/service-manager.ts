import { setTimeout as sleep } from "node:timers/promises";
import { delay } from "../../shared/clock.ts";
import { Deadline } from "../../shared/deadline.ts";
import { hasCode } from "../../shared/error-code.ts";
import type { Logger } from "../../shared/logger.ts";
import { closeDescriptor, duplicate, nativeProblem, sendDatagram } from "../../sandbox/sockets.ts";
import type { SocketStore } from "../fleet/sockets/socket-store.ts";

const RETRY_MS = 10;
/** When systemd reads nothing for so long, the waiting messages are discarded. */
const MAX_STALL_MS = 30_000;
/** How long the daemon's exit waits until all messages are sent. */
const MAX_FLUSH_MS = 5000;

interface ServiceManagerOptions {
  /** `NOTIFY_SOCKET`. Undefined: there is no service manager, and nothing is sent. */
  readonly notifySocket: string | undefined;
  /** Whether the service manager waits for `WATCHDOG=1`. */
  readonly watchdog: boolean;
  /** The descriptors that systemd kept since the last daemon, by name. */
  readonly kept: ReadonlyMap<string, number>;
  readonly logger: Logger;
}

/**
 * Notifies systemd by sd_notify(3), and stores descriptors in its file descriptor store. systemd compares each new
 * descriptor with all stored ones, so ten thousand take a minute. Additions therefore wait behind all other messages.
 */
export class ServiceManager implements SocketStore {
  readonly kept: ReadonlyMap<string, number>;
  readonly #options: ServiceManagerOptions;
  readonly #states: string[] = [];
  /** Duplicated descriptors by name. They are closed after they are sent. */
  readonly #additions = new Map<string, number>();
  #sending: Promise<void> | null = null;
  #status = "";

  constructor(options: ServiceManagerOptions) {
    this.kept = options.kept;
    this.#options = options;
    const problem = options.notifySocket === undefined ? null : nativeProblem();
    if (problem !== null) options.logger.error({ reason: problem }, "failed to notify the service manager");
  }

  ready(): void {
    this.#notify("READY=1");
  }

  stopping(): void {
    this.#notify("STOPPING=1");
  }

  /** For `systemctl status`, once for each change. */
  status(text: string): void {
    if (text === this.#status) return;
    this.#status = text;
    this.#notify(`STATUS=${text}`);
  }

  /** Resets systemd's watchdog, which otherwise restarts the daemon. */
  pingWatchdog(): void {
    if (this.#options.watchdog) this.#notify("WATCHDOG=1");
  }

  add(name: string, descriptor: number): void {
    if (this.#isOff) return;
    const isIdle = this.#states.length === 0 && this.#additions.size === 0;
    if (isIdle && this.#send(addition(name), descriptor)) return;
    this.#discard(name);
    this.#additions.set(name, duplicate(descriptor));
    this.#sendLater();
  }

  remove(name: string): void {
    this.#discard(name);
    this.#notify(`FDSTOREREMOVE=1\nFDNAME=${name}`);
  }

  /** Resolves when all has been sent, or after a deadline. */
  async flush(): Promise<void> {
    const sent = new AbortController();
    // This timer keeps the process alive. The sending uses timers that do not.
    const late = sleep(MAX_FLUSH_MS, undefined, { signal: sent.signal });
    await Promise.race([this.#sending, late]);
    sent.abort();
    await late.catch(() => undefined);
  }

  get #isOff(): boolean {
    return this.#options.notifySocket === undefined || nativeProblem() !== null;
  }

  #notify(state: string): void {
    if (this.#isOff || (this.#states.length === 0 && this.#send(state))) return;
    this.#states.push(state);
    this.#sendLater();
  }

  #discard(name: string): void {
    const descriptor = this.#additions.get(name);
    if (descriptor !== undefined) closeDescriptor(descriptor);
    this.#additions.delete(name);
  }

  #sendLater(): void {
    this.#sending ??= this.#sendWaiting().finally(() => (this.#sending = null));
  }

  async #sendWaiting(): Promise<void> {
    for (let stalledAt = new Deadline(MAX_STALL_MS); this.#states.length + this.#additions.size > 0;) {
      if (this.#sendNext()) stalledAt = new Deadline(MAX_STALL_MS);
      else if (stalledAt.isOver) this.#giveUp();
      else await delay(RETRY_MS);
    }
  }

  #sendNext(): boolean {
    const [state] = this.#states;
    if (state !== undefined) {
      const isSent = this.#send(state);
      if (isSent) this.#states.shift();
      return isSent;
    }
    for (const [name, descriptor] of this.#additions) {
      const isSent = this.#send(addition(name), descriptor);
      if (isSent) this.#discard(name);
      return isSent;
    }
    return true;
  }

  #giveUp(): void {
    const [states, descriptors] = [this.#states.length, this.#additions.size];
    this.#options.logger.error({ states, descriptors }, "gave up notifying the service manager: it reads no messages");
    this.#states.length = 0;
    for (const name of this.#additions.keys()) this.#discard(name);
  }

  /** False when the socket's queue is full. Other errors are logged and not retried. */
  #send(text: string, descriptor: number | null = null): boolean {
    try {
      sendDatagram(this.#options.notifySocket ?? "", text, descriptor);
    } catch (error) {
      if (hasCode(error, "EAGAIN")) return false;
      this.#options.logger.warn({ err: error, state: text }, "failed to notify the service manager");
    }
    return true;
  }
}

const addition = (name: string): string => `FDSTORE=1\nFDNAME=${name}`;
