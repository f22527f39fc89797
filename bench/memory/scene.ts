import type { Calendar, Place, Telling } from "./calendar.ts";
import type { Evidence, Question } from "./history.ts";
import type { Material } from "./material.ts";
import type { Random } from "./random.ts";
import type { Words } from "./words.ts";

/** What stories of one history are told with. */
export interface Scene {
  readonly material: Material;
  readonly calendar: Calendar;
  readonly words: Words;
  readonly random: Random;
}

export type Asked = Omit<Question, "id" | "now" | "outdated" | "never" | "evidence"> & {
  readonly now?: number;
  readonly evidence?: readonly Evidence[];
  readonly outdated?: readonly Evidence[];
  readonly never?: readonly string[];
};

export const inPassing = (text: string): Telling => ({ by: "user", text });

/** How often a question is put in words that the evidence hardly shares: the last wording of a list. */
const FAR = 0.15;

export const wording = ({ random }: Scene, asked: readonly string[]): string =>
  random.chance(FAR) ? random.pick(asked.slice(-1)) : random.pick(asked.slice(0, -1));

export const evidence = (place: Place, holds: string): Evidence => ({ round: place.round, holds });

/** Tells the same sort of thing about others, each in a conversation of its own. */
export function tellOthers(
  { calendar, random }: Scene,
  { others, topic }: { readonly others: readonly string[]; readonly topic: string },
  fill: (template: string) => string,
): void {
  const places: Place[] = [];
  for (const other of random.sample(others, Math.min(others.length, random.between(2, 3)))) {
    places.push(calendar.tell(inPassing(fill(other)), topic, places));
  }
}
