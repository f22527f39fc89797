import type { ModelHealth } from "../src/client/records.ts";
import { inBackground } from "../src/shared/background.ts";
import type { EngineClient } from "../src/client/engine-client.ts";

const SILENCE_MS = 2000;
const DEADLINE_MS = 2000;

type Health = Pick<EngineClient, "health">;

/** Explains a silent turn by the engine's health: a model call failed and is retried. */
export class ModelWatch {
  readonly #engine: Health;
  readonly #note: (text: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #closing = new AbortController();
  #noted: string | null = null;

  constructor(engine: Health, note: (text: string) => void) {
    this.#engine = engine;
    this.#note = note;
    this.expect();
  }

  /** Call it after an event of the turn, when more should follow. */
  expect(): void {
    this.pause();
    this.#timer = setTimeout(() => inBackground("look at the model", this.#look()), SILENCE_MS);
  }

  /** Call it while the turn may be silent, such as during a prompt. */
  pause(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  close(): void {
    this.pause();
    this.#closing.abort();
  }

  async #look(): Promise<void> {
    const watched = this.#timer;
    const model = await this.#health();
    // An event arrived meanwhile, or the turn has ended.
    if (this.#timer !== watched) return;
    if (model?.status === "retrying" && model.last_error_at !== this.#noted) {
      this.#noted = model.last_error_at;
      this.#note(describeRetry(model));
    }
    this.expect();
  }

  async #health(): Promise<ModelHealth | undefined> {
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(DEADLINE_MS)]);
    try {
      return (await this.#engine.health({ signal })).model;
    } catch {
      // The turn itself reports an error of the engine.
      return undefined;
    }
  }
}

function describeRetry({ last_error: error, next_try_at: nextTryAt }: ModelHealth): string {
  const waitS = nextTryAt === null ? 0 : Math.ceil((Date.parse(nextTryAt) - Date.now()) / 1000);
  const next = waitS > 0 ? `next try in ${waitS} s` : "the next try is running";
  return `the model call failed, ${next}: ${error ?? "unknown error"}`;
}
