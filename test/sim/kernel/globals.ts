/**
 * Replaces what a program takes from Node.js without importing it: timers, clocks, random numbers. Only a process that
 * does nothing but simulate installs it.
 */
import { world } from "./world.ts";

class SimTimer {
  cancel: () => void = () => undefined;
  isEnded = false;

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  refresh(): this {
    throw new Error("a simulated timer cannot be refreshed");
  }
}

export function installGlobals(): void {
  const RealDate = Date;
  const Simulated = class extends RealDate {
    constructor(...given: readonly unknown[]) {
      if (given.length === 0) super(world().wallNow());
      else super(...(given as [number]));
    }

    static override now(): number {
      return world().wallNow();
    }
  };
  Object.assign(globalThis, {
    Date: Simulated,
    setTimeout: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const timer = new SimTimer();
      timer.cancel = world().scheduler.after(ms, "timer", () => run(...args));
      return timer;
    },
    setInterval: (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const timer = new SimTimer();
      const next = () => {
        timer.cancel = world().scheduler.after(
          ms,
          "interval",
          () => {
            run(...args);
            if (!timer.isEnded) next();
          },
          { isSmall: true },
        );
      };
      next();
      return timer;
    },
    clearTimeout: cancel,
    clearInterval: cancel,
  });
  Object.defineProperty(performance, "now", { value: () => world().scheduler.now + MONOTONIC_START_MS });
  Math.random = () => world().draws.number("Math.random");
  AbortSignal.timeout = (ms: number) => {
    const controller = new AbortController();
    setTimeout(
      () => controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError")),
      ms,
    );
    return controller.signal;
  };
}

/** The machine has been up for an hour. */
const MONOTONIC_START_MS = 3_600_000;

function cancel(timer: unknown): void {
  if (!(timer instanceof SimTimer)) return;
  timer.isEnded = true;
  timer.cancel();
}
