import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { sealingKeyOf } from "../../../contract/broker/call-key.ts";
import { controlTokenOf, questionTokenOf } from "../../../contract/broker/tokens.ts";
import type { BrokerOrder, BrokerReport } from "../../../contract/broker/broker-order.ts";
import type { Forgotten } from "../../../contract/broker/forget.ts";
import { untilExit } from "../../../shared/background.ts";
import { delay } from "../../../shared/clock.ts";
import { Deadline } from "../../../shared/deadline.ts";
import { hasCode } from "../../../shared/error-code.ts";
import type { Logger } from "../../../shared/logger.ts";
import type { ProcessIdentity } from "../../../sandbox/processes.ts";
import { closeDescriptor, nativeProblem, openListener, socketAddress } from "../../../sandbox/sockets.ts";
import type { Owner } from "../../../sandbox/folders.ts";
import { isPortFree } from "../process/port-check.ts";
import { awaitConnection } from "../sockets/await-connection.ts";
import { portKnownSince, randomPort, rememberPort, rememberedPort } from "./broker-port.ts";
import { brokerGone, killBroker, lastBroker, recordBroker } from "./last-broker.ts";
import { type LiveBroker, connectBroker, drainBroker, tellForgotten } from "./live-broker.ts";
import type { ProcessExit } from "../engine-backend.ts";
import type { BrokerAccess, ModelBroker } from "./model-broker.ts";
import { type OnceRoad, onceRoad } from "./once-road.ts";
import { BROKER_LISTENER, startBroker } from "./start-broker.ts";

const BACKLOG = 4096;
/** Another program that has the port may not answer at all. */
const ADOPT_MS = 1000;
/** A broker of ours, which runs, is hung when it takes longer. A busy machine takes seconds. */
const HUNG_MS = 10_000;
/** How long a port that is given up may still be taken. */
const FREE_MS = 3000;
const RETRY_MS = 10;
/** A start that takes longer is tried again. */
const START_MS = 15_000;
/** Longer than a broker that was killed is away. */
const FORGET_MS = 1000;
/** More ends than this in ten seconds are slowed down to one a second. */
const QUICK_ENDS = { count: 100, withinMs: 10_000, waitMs: 1000 } as const;

export interface LocalBrokerOptions {
  readonly nodePath: string;
  /** `dist/orchd-broker.cjs` */
  readonly file: string;
  /** The broker's own, in the data folder: its log, its port, its process. */
  readonly folder: string;
  /** A secret of the deployment, from which the broker's keys are derived. */
  readonly secret: string;
  /** The address that it listens on, and that engines call. */
  readonly host: string;
  /** Null: the one of the last daemon, or one that is free. */
  readonly port: number | null;
  readonly enginePorts: { readonly min: number; readonly max: number };
  /** The user of the broker on this port. Null: the daemon's. */
  readonly ownerOn: (port: number) => Owner | null;
  readonly confine: boolean;
  readonly extraCaCerts: string | null;
  /** Where the broker asks this daemon. */
  readonly daemonUrl: string;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/**
 * The broker of this machine: a process that the daemon starts when an engine needs it, at the latest with the first call,
 * and starts again when it ends. It outlives the daemon, as engines do, and the next daemon finds it by its port and a token.
 * The daemon holds a copy of its listening socket: calls wait in the kernel while it starts.
 */
export class LocalBroker implements ModelBroker {
  readonly #options: LocalBrokerOptions;
  readonly #sealingKey: Buffer;
  readonly questionToken: string;
  #port = 0;
  /** Null while a broker of an earlier daemon has the only copy, and where this host cannot hold sockets. */
  #listener: number | null = null;
  #live: LiveBroker | null = null;
  #isSupervised = false;
  #stopAwaiting: (() => void) | null = null;
  #isClosed = false;
  /** The process that this daemon started. */
  #started: ProcessIdentity | null = null;
  #restarts = 0;
  #ends: number[] = [];

  constructor(options: LocalBrokerOptions) {
    this.#options = options;
    this.#sealingKey = sealingKeyOf(options.secret);
    this.questionToken = questionTokenOf(this.#sealingKey);
  }

  /** Takes the port, or finds the broker of an earlier daemon there. */
  async open(): Promise<this> {
    await this.#findPort();
    if (this.#isSupervised) return this;
    // Where the socket cannot be held, nobody hears the first call.
    if (this.#listener === null) this.#supervise();
    else this.#stopAwaiting = awaitConnection(this.#listener, () => this.#supervise());
    return this;
  }

  async #findPort(): Promise<void> {
    const { folder, port, enginePorts, logger } = this.#options;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const known = port ?? rememberedPort(folder);
    if (known !== null) {
      this.#port = known;
      if (await this.#takePort()) {
        rememberPort(folder, known);
        return;
      }
      if (port !== null) throw new Error(`ORCH_BROKER_PORT: port ${port} is taken by another program`);
      logger.error({ port: known }, "another program has the broker's port; restart the engines that run");
    }
    for (;;) {
      this.#port = randomPort(enginePorts);
      if (await this.#listen()) break;
    }
    rememberPort(folder, this.#port);
  }

  access(): BrokerAccess {
    this.#supervise();
    return this.reach;
  }

  get reach(): BrokerAccess {
    return { url: `http://${this.#options.host}:${this.#port}`, sealingKey: this.#sealingKey };
  }

  get once(): OnceRoad {
    this.#supervise();
    return onceRoad(this.#target);
  }

  async forget(what: Forgotten): Promise<void> {
    // One that was not started yet knows nothing. For one that is being started the call waits in the kernel.
    if (this.#isSupervised) await tellForgotten(this.#target, what, FORGET_MS);
  }

  report(): BrokerReport | null {
    return this.#live?.report ?? null;
  }

  get since(): Date {
    return portKnownSince(this.#options.folder);
  }

  get restarts(): number {
    return this.#restarts;
  }

  async stop(): Promise<void> {
    this.close();
    const identity = lastBroker(this.#options.folder);
    if (identity !== null) killBroker(identity);
  }

  close(): void {
    this.#isClosed = true;
    this.#stopAwaiting?.();
    this.#live?.disconnect();
    if (this.#listener !== null) closeDescriptor(this.#listener);
    this.#listener = null;
  }

  get #target() {
    const { host, daemonUrl } = this.#options;
    return { host, port: this.#port, token: controlTokenOf(this.#sealingKey), daemonUrl };
  }

  /** False when another program has the port. */
  async #takePort(): Promise<boolean> {
    if (await this.#listen()) return true;
    const { folder, logger } = this.#options;
    const found = await connectBroker(this.#target, lastBroker(folder) === null ? ADOPT_MS : HUNG_MS);
    if (found !== null && found.report.build === this.#build()) {
      this.#live = found;
      this.#supervise();
      return true;
    }
    if (found !== null) {
      found.disconnect();
      logger.info({ port: this.#port }, "replacing the broker of another release or of other settings");
      await drainBroker(this.#target, ADOPT_MS);
    } else {
      const identity = lastBroker(folder);
      if (identity === null) return false;
      logger.warn({ port: this.#port }, "killing a broker that does not answer");
      killBroker(identity);
    }
    return this.#listenSoon();
  }

  /** Listens as soon as the port is free. */
  async #listenSoon(): Promise<boolean> {
    for (const deadline = new Deadline(FREE_MS); ; await delay(RETRY_MS)) {
      if (await this.#listen()) return true;
      if (deadline.isOver || this.#isClosed) return false;
    }
  }

  async #listen(): Promise<boolean> {
    const { host } = this.#options;
    const address = nativeProblem() === null ? socketAddress(host, this.#port) : null;
    // The broker makes its own socket.
    if (address === null) return isPortFree(host, this.#port);
    try {
      this.#listener ??= openListener(address, BACKLOG);
      return true;
    } catch (error) {
      if (hasCode(error, "EADDRINUSE")) return false;
      throw error;
    }
  }

  #supervise(): void {
    if (this.#isSupervised) return;
    this.#isSupervised = true;
    this.#stopAwaiting?.();
    untilExit("broker of model calls", this.#keepRunning());
  }

  async #keepRunning(): Promise<void> {
    const { logger, stopping } = this.#options;
    const isOver = () => this.#isClosed || stopping.aborted;
    while (!isOver()) {
      try {
        if (this.#live === null) await this.#start();
        else await this.#untilGone(this.#live);
      } catch (error) {
        logger.error({ err: error }, "failed to start the broker of model calls");
        await delay(QUICK_ENDS.waitMs, stopping);
      }
    }
  }

  /** Starts a process, and waits until it has ended. */
  async #start(): Promise<void> {
    const { folder, stopping, ownerOn, extraCaCerts, confine } = this.#options;
    if (this.#listener === null && nativeProblem() === null && !(await this.#takePort()))
      throw new Error("its port is taken");
    // Another daemon, which leads by now, may have started one.
    if (this.#live !== null) return;
    const { host } = this.#options;
    const order: BrokerOrder = {
      sealing_key: this.#sealingKey.toString("base64"),
      build: this.#build(),
      listen: this.#listener === null ? { host, port: this.#port } : { fd: BROKER_LISTENER },
      confine,
      extra_ca_certs: extraCaCerts,
      daemon_url: null,
    };
    const program = { ...this.#options, owner: ownerOn(this.#port) };
    const { identity, exited } = await startBroker(program, { order, listener: this.#listener });
    this.#started = identity;
    recordBroker(folder, identity);
    untilExit("connection to the broker", this.#connect(identity));
    const { code, signal } = await exited;
    this.#started = null;
    this.#live = null;
    if (!this.#isClosed && !stopping.aborted) await this.#ended({ code, signal });
  }

  async #connect(identity: ProcessIdentity): Promise<void> {
    const live = await connectBroker(this.#target, START_MS);
    if (this.#started === identity && !this.#isClosed) this.#live = live;
    else live?.disconnect();
  }

  /** Waits until a broker that an earlier daemon started has ended. */
  async #untilGone(live: LiveBroker): Promise<void> {
    await live.ended;
    this.#live = null;
    const identity = lastBroker(this.#options.folder);
    if (this.#isClosed || this.#options.stopping.aborted) return;
    if (identity !== null) await brokerGone(identity, ADOPT_MS);
    await this.#ended({});
  }

  async #ended(exit: Partial<ProcessExit>): Promise<void> {
    const { logger, stopping } = this.#options;
    logger.warn(exit, "the broker of model calls ended; starting it again");
    this.#restarts++;
    const now = performance.now();
    this.#ends = [...this.#ends.filter((at) => now - at < QUICK_ENDS.withinMs), now];
    if (this.#ends.length > QUICK_ENDS.count) await delay(QUICK_ENDS.waitMs, stopping);
  }

  /** Names the program and what it was started with, without its secrets. */
  #build(): string {
    const { file, confine, extraCaCerts, ownerOn, host } = this.#options;
    const { size, mtimeMs } = statSync(file);
    const settings = [file, size, mtimeMs, host, this.#port, confine, extraCaCerts, ownerOn(this.#port)?.uid ?? null];
    return createHash("sha256").update(JSON.stringify(settings)).update(this.#sealingKey).digest("hex");
  }
}
