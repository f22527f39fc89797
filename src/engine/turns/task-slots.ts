import type { EngineError } from "../engine-error.ts";

/** Why a task that has no turn may start none. */
export type HoldPurpose = "rewind" | "deletion";

/** A task's slot for its turn in flight. */
export interface Slot {
  readonly taskId: string;
  readonly turnId: string;
  readonly startedAt: number;
  /** Aborted by cancel, expiry, drain or an engine error, given as the reason. */
  readonly signal: AbortSignal;
  readonly state: "running" | "waiting_for_human";
  /** Other than `turn`: it has no turn, and its `turnId` is empty. */
  readonly purpose: "turn" | HoldPurpose;
  abort(reason: TurnAborted | TurnParked | EngineError): void;
  /** Aborted by a message that interrupts the model's answer. Each call replaces the signal of the call before. */
  newInterrupt(): AbortSignal;
  /** Cuts off the model's answer in progress, if there is one. The turn goes on. */
  interrupt(): void;
  /** Restarts the expiry timer. */
  progress(): void;
  /** Stops the expiry timer while a human is asked, whatever else runs. Returns the function that ends the wait. */
  waitForHuman(): () => void;
  /** The same while the client has a call, as long as no `work` runs: several calls may be open. */
  waitForClient(): () => void;
  /** Begins work of the turn. Returns the function that ends it. */
  work(): () => void;
  /** Resolves when no human is asked, or the turn is aborted. */
  humanWaitOver(): Promise<void>;
  release(): void;
}

export type AbortCode = "CANCELLED" | "CHANNEL_EXPIRED";

export class TurnAborted extends Error {
  override readonly name = "TurnAborted";
  readonly code: AbortCode;
  constructor(code: AbortCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The engine stops: the turn resumes from its last stored step at the next start. */
export class TurnParked extends Error {
  override readonly name = "TurnParked";
  constructor() {
    super("the engine is stopping");
  }
}

/** At most one turn in flight per task. A turn without progress for `ttlMs` is aborted, which frees its slot. */
export class TaskSlots {
  readonly #slots = new Map<string, Slot>();
  readonly #ttlMs: number;
  readonly #listeners = new Set<(taskId: string) => void>();

  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** Calls the listener when the state of a slot has changed, and when one is free. */
  subscribe(listener: (taskId: string) => void): void {
    this.#listeners.add(listener);
  }

  /** Returns the slot, or its current holder. */
  claim(
    taskId: string,
    turnId: string,
    startedAt = Date.now(),
  ): { readonly kind: "claimed"; readonly slot: Slot } | { readonly kind: "busy"; readonly holder: Slot } {
    const holder = this.#slots.get(taskId);
    if (holder !== undefined) return { kind: "busy", holder };
    const slot = this.#newSlot(taskId, turnId, startedAt);
    this.#slots.set(taskId, slot);
    return { kind: "claimed", slot };
  }

  /** Holds a task without a turn, so that none starts. */
  hold(taskId: string, purpose: HoldPurpose): ReturnType<TaskSlots["claim"]> {
    const holder = this.#slots.get(taskId);
    if (holder !== undefined) return { kind: "busy", holder };
    const slot = this.#newSlot(taskId, "", Date.now(), purpose);
    this.#slots.set(taskId, slot);
    return { kind: "claimed", slot };
  }

  get(taskId: string): Slot | undefined {
    return this.#slots.get(taskId);
  }

  all(): readonly Slot[] {
    return [...this.#slots.values()];
  }

  get size(): number {
    return this.#slots.size;
  }

  #newSlot(taskId: string, turnId: string, startedAt: number, purpose: Slot["purpose"] = "turn"): Slot {
    const abort = new AbortController();
    const seconds = Math.round(this.#ttlMs / 1000);
    const expire = () => abort.abort(new TurnAborted("CHANNEL_EXPIRED", `the turn made no progress for ${seconds} s`));
    let timer: NodeJS.Timeout | undefined = setTimeout(expire, this.#ttlMs).unref();
    const open = { human: 0, client: 0, work: 0 };
    let isReleased = false;
    let calm = Promise.withResolvers<void>();
    abort.signal.addEventListener("abort", () => calm.resolve(), { once: true });
    const slots = this.#slots;
    const ttlMs = this.#ttlMs;
    const isWaiting = () => open.human > 0 || (open.client > 0 && open.work === 0);
    let interrupt = new AbortController();
    let wasWaiting = false;
    const notify = () => {
      for (const listener of this.#listeners) listener(taskId);
    };
    const changed = () => {
      // A turn that goes on after a restart waits again without an event, as it does when other work of it ends.
      if (isWaiting() !== wasWaiting) {
        wasWaiting = isWaiting();
        notify();
      }
      if (isWaiting() || isReleased) {
        clearTimeout(timer);
        timer = undefined;
      } else {
        timer ??= setTimeout(expire, ttlMs).unref();
      }
    };
    const begin = (kind: keyof typeof open) => {
      open[kind]++;
      changed();
      return () => {
        open[kind]--;
        changed();
        if (kind !== "human" || open.human > 0) return;
        calm.resolve();
        calm = Promise.withResolvers();
      };
    };
    return {
      taskId,
      turnId,
      startedAt,
      purpose,
      signal: abort.signal,
      get state() {
        return isWaiting() ? "waiting_for_human" : "running";
      },
      abort: (reason) => abort.abort(reason),
      newInterrupt: () => (interrupt = new AbortController()).signal,
      interrupt: () => interrupt.abort(),
      progress: () => timer?.refresh(),
      waitForHuman: () => begin("human"),
      waitForClient: () => begin("client"),
      work: () => begin("work"),
      async humanWaitOver() {
        while (open.human > 0 && !abort.signal.aborted) await calm.promise;
      },
      release() {
        isReleased = true;
        changed();
        if (slots.get(taskId)?.turnId === turnId) slots.delete(taskId);
        notify();
      },
    };
  }
}
