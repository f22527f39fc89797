import type { Topic } from "./material.ts";
import type { Random } from "./random.ts";

const MINUTE = 60_000;
export const DAY = 1440 * MINUTE;

/** Something told in a round: by the user in passing, or by the assistant to a request. */
export type Telling =
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "assistant"; readonly text: string; readonly request: string };

export interface Place {
  readonly round: string;
  readonly at: number;
}

export interface Day {
  readonly id: string;
  readonly at: number;
  readonly topic: Topic;
  /** What is told in each round; most rounds of a day stay undefined. */
  readonly rounds: (Telling | undefined)[];
}

/** The conversations of about a year, and which of their rounds are still free to tell something in. */
export class Calendar {
  readonly days: readonly Day[];
  readonly #random: Random;

  constructor(topics: readonly Topic[], random: Random) {
    this.#random = random;
    const begin = Date.UTC(random.between(2021, 2024), random.between(0, 11), random.between(1, 28));
    const count = random.between(42, 49);
    const spread = topics.length * Math.ceil(count / topics.length);
    const order = random.shuffled(Array.from({ length: spread }, (_, index) => topics[index % topics.length] as Topic));
    const dates = Array.from({ length: count }, (_, index) => {
      const day = begin + Math.floor(((index + random.next()) * 350) / count) * DAY;
      return day + random.between(7 * 60, 22 * 60) * MINUTE;
    });
    dates.sort((one, other) => one - other);
    this.days = dates.map((at, index) => ({
      id: `c${index + 1}`,
      at,
      topic: order[index] as Topic,
      rounds: Array.from({ length: random.between(5, 7) }, () => undefined),
    }));
  }

  /** When a question is asked: days after the last conversation. */
  now(): number {
    return (this.days.at(-1)?.at ?? 0) + this.#random.between(1, 14) * DAY + this.#random.between(0, 600) * MINUTE;
  }

  /** A free round, rather one of a conversation about the topic, in a conversation that is not among `except`. */
  tell(telling: Telling, topic: string, except: readonly Place[] = []): Place {
    const taken = new Set(except.map(({ round }) => round.split("/")[0]));
    const free = this.#free().filter(({ id }) => !taken.has(id));
    const fitting = free.filter((day) => day.topic.name === topic);
    return this.#put(telling, this.#random.pick(fitting.length > 0 && this.#random.chance(0.7) ? fitting : free));
  }

  /** Free conversations in the order of their dates, each at least so many days after the one before. */
  inOrder(count: number, apart: number): readonly Day[] {
    for (let attempt = 0; attempt < 2000; attempt += 1) {
      const days = this.#random.sample(this.#free(), count).sort((one, other) => one.at - other.at);
      if (days.every((day, index) => index === 0 || day.at - (days[index - 1]?.at ?? 0) >= apart * DAY)) return days;
    }
    throw new Error(`no ${count} conversations lie ${apart} days apart`);
  }

  tellOn(telling: Telling, day: Day): Place {
    return this.#put(telling, day);
  }

  /** Each conversation keeps a round in which nothing is told. */
  #free(): Day[] {
    return this.days.filter(({ rounds }) => rounds.filter((telling) => telling === undefined).length > 1);
  }

  #put(telling: Telling, day: Day): Place {
    const open = day.rounds.flatMap((taken, index) => (taken === undefined ? [index] : []));
    const index = this.#random.pick(open);
    day.rounds[index] = telling;
    return { round: `${day.id}/${index + 1}`, at: day.at };
  }
}
