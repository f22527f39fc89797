import { DAY, type Place } from "./calendar.ts";
import type { Happening } from "./material.ts";
import { type Asked, type Scene, evidence, inPassing, tellOthers, wording } from "./scene.ts";
import { happened, weeksBetween, whenPhrase } from "./time-phrases.ts";

interface Occurrence {
  readonly place: Place;
  readonly happening: Happening;
  readonly at: number;
  readonly holds: string;
  readonly noun: string;
}

const TIMES_A_YEAR = 3;
const APART = 40;

/** Tells happenings that come again and again over the year, and asks for one of them by its time. */
export function askTimes(scene: Scene, happenings: readonly Happening[]): readonly Asked[] {
  const told = happenings.map((happening) => tellAll(scene, happening));
  const mixed = scene.random.shuffled(told.flat());
  const pairs = mixed.flatMap((one) => mixed.map((other) => ({ one, other })));
  const unlike = pairs.filter(({ one, other }) => one.happening !== other.happening);
  const clear = unlike.filter(({ one, other }) => Math.abs(one.at - other.at) > 10 * DAY);
  const weeksAfter = unlike.filter(({ one, other }) => inWeeks((other.at - one.at) / DAY));
  return [
    ...told.flatMap((occurrences) => askWhen(scene, occurrences)),
    ...clear.slice(0, 2).map((pair) => askBoth(scene, pair, "order")),
    ...clear.slice(-1).map((pair) => askBoth(scene, pair, "gap")),
    ...weeksAfter.slice(0, 1).map((pair) => askBefore(scene, pair)),
  ];
}

function tellAll(scene: Scene, happening: Happening): readonly Occurrence[] {
  const { calendar, words, random } = scene;
  const occurrences = calendar.inOrder(TIMES_A_YEAR, APART).map((day) => {
    const fill = words.story();
    const text = fill(random.pick(happening.said));
    const place = calendar.tellOn(inPassing(text), day);
    const at = happened(text, place.at);
    return { place, happening, at, holds: fill(happening.holds), noun: fill(random.pick(happening.noun)) };
  });
  tellOthers(scene, happening, words.story());
  return occurrences;
}

/** One of the occurrences whose time can be said without doubt. */
function askWhen(scene: Scene, occurrences: readonly Occurrence[]): readonly Asked[] {
  const { material, calendar, random } = scene;
  const now = calendar.now();
  for (const { at, place, holds, happening } of random.shuffled(occurrences)) {
    const when = whenPhrase(material.times, { at, now }, random);
    if (when === undefined) continue;
    const text = wording(scene, happening.asked).replaceAll("{when}", when);
    return [{ ability: "temporal", kind: "when", text, now, evidence: [evidence(place, holds)] }];
  }
  return [];
}

interface Two {
  readonly one: Occurrence;
  readonly other: Occurrence;
}

function askBoth({ material, random }: Scene, { one, other }: Two, kind: "order" | "gap"): Asked {
  const text = random.pick(material.times[kind]).replaceAll("{a}", one.noun).replaceAll("{b}", other.noun);
  const found = [one, other].map(({ place, holds }) => evidence(place, holds));
  return { ability: "temporal", kind, text, evidence: found };
}

/** What is asked for lies before something that has to be found first. */
function askBefore(scene: Scene, { one, other }: Two): Asked {
  const { material, random } = scene;
  const weeks = weeksBetween(one.at, other.at, material.times);
  const when = random.pick(material.times.before).replaceAll("{weeks}", weeks).replaceAll("{a}", other.noun);
  const text = wording(scene, one.happening.asked).replaceAll("{when}", when);
  const found = [one, other].map(({ place, holds }) => evidence(place, holds));
  return { ability: "temporal", kind: "before", text, evidence: found };
}

/** Two to six whole weeks, give or take a day. */
const inWeeks = (days: number): boolean => days > 12 && days < 45 && Math.abs(days / 7 - Math.round(days / 7)) < 0.15;
