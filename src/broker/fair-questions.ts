import type { AnswerTo, Asked, QuestionName } from "../contract/broker/questions.ts";
import { DEADLINE_MS, DaemonAway, type DaemonRoad } from "./ask-daemon.ts";

/** Questions of one kind that the daemon answers for one engine at the same time. */
const MAX_ASKED = 8;
/** Further ones wait for their turn. */
const MAX_WAITING = 256;

type Options = Parameters<DaemonRoad["ask"]>[2];

/** An engine makes this process ask too much. */
export class TooManyQuestions extends Error {
  override readonly name = "TooManyQuestions";
}

interface Lane {
  asked: number;
  /** Each is called when it is its turn. */
  readonly waiting: Set<() => void>;
}

/**
 * The road to the daemon, of which each engine gets a few places: otherwise one with many calls would take every connection,
 * and the calls of all others would wait.
 */
export class FairQuestions implements Pick<DaemonRoad, "ask"> {
  readonly #road: Pick<DaemonRoad, "ask">;
  /** By engine and kind: those that wait for a budget do not keep others from their secrets. */
  readonly #lanes = new Map<string, Lane>();

  constructor(road: Pick<DaemonRoad, "ask">) {
    this.#road = road;
  }

  /** Rejects with `DaemonAway`, `QuestionRefused` or {@link TooManyQuestions}. */
  async ask<Name extends QuestionName>(
    name: Name,
    asked: Asked<Name>,
    { deadlineMs = DEADLINE_MS, signal }: Options = {},
  ): Promise<AnswerTo<Name>> {
    const options = signal === undefined ? {} : { signal };
    if (!("engine" in asked)) return this.#road.ask(name, asked, { deadlineMs, ...options });
    const end = performance.now() + deadlineMs;
    const key = `${name} ${asked.engine}`;
    const lane = this.#lanes.get(key) ?? { asked: 0, waiting: new Set() };
    this.#lanes.set(key, lane);
    if (lane.asked >= MAX_ASKED) await turnIn(lane, deadlineMs);
    else lane.asked++;
    try {
      if (signal?.aborted === true) throw new DaemonAway("the call has ended");
      return await this.#road.ask(name, asked, { deadlineMs: end - performance.now(), ...options });
    } finally {
      // Its place is the next one's.
      const [next] = lane.waiting;
      if (next !== undefined) {
        lane.waiting.delete(next);
        next();
      } else if (--lane.asked === 0) this.#lanes.delete(key);
    }
  }
}

/** Resolves with a place in the lane. Rejects after the deadline. */
async function turnIn({ waiting }: Lane, deadlineMs: number): Promise<void> {
  if (waiting.size >= MAX_WAITING)
    throw new TooManyQuestions(
      `an engine may ask the daemon ${MAX_ASKED} things at once, and ${MAX_WAITING} wait; try again when some are answered`,
    );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  waiting.add(resolve);
  const late = setTimeout(() => {
    waiting.delete(resolve);
    reject(new DaemonAway("no daemon answered the questions before"));
  }, deadlineMs);
  await promise.finally(() => clearTimeout(late));
}
