import { askChange } from "./ask-changes.ts";
import { askAnswer, askBesideFact, askFact, askStranger } from "./ask-facts.ts";
import { askPair, askTally } from "./ask-several.ts";
import { askTimes } from "./ask-times.ts";
import { Calendar } from "./calendar.ts";
import type { History } from "./history.ts";
import type { Fact, Material, Unsaid } from "./material.ts";
import { Random } from "./random.ts";
import type { Asked, Scene } from "./scene.ts";
import { roundsOf } from "./small-talk.ts";
import { Words } from "./words.ts";

/** How many questions of each kind a history has; eight more are about time. */
const COUNT = { facts: 6, answers: 4, tastes: 3, tallies: 4, pairs: 2, current: 5, former: 1, near: 4, strangers: 2 };
const HAPPENINGS = 4;
/** 115,000 tokens of four letters. */
const LETTERS = 460_000;

/** The history with this seed and number: the same letters on every machine. */
export function generate(
  material: Material,
  { seed, index }: { readonly seed: number; readonly index: number },
): History {
  const random = new Random(`${seed} history ${index}`);
  const calendar = new Calendar(material.filler.topics, random);
  const asked = tellAndAsk({ material, calendar, random, words: new Words(material.words, random) });
  const letters = LETTERS / calendar.days.length;
  return {
    id: `h${index + 1}`,
    conversations: calendar.days.map((day) => ({
      id: day.id,
      date: new Date(day.at).toISOString(),
      rounds: roundsOf(day, { filler: material.filler, letters, random }),
    })),
    questions: asked.map((one, number) => ({
      evidence: [],
      outdated: [],
      never: [],
      ...one,
      id: `h${index + 1}-q${number + 1}`,
      now: new Date(one.now ?? calendar.now()).toISOString(),
    })),
  };
}

/** What needs many conversations far apart goes first, while all are free. */
function tellAndAsk(scene: Scene): readonly Asked[] {
  const { material, random } = scene;
  const times = askTimes(scene, random.sample(material.happenings, HAPPENINGS));
  const changes = random
    .sample(material.changes, COUNT.current + COUNT.former)
    .map((change, index) => askChange(scene, change, index < COUNT.current ? "current" : "former"));
  const facts = random.shuffled(material.facts);
  const near = facts.filter(hasUnsaid).slice(0, COUNT.near);
  const plain = facts.filter((fact) => !near.some((one) => one === fact)).slice(0, COUNT.facts);
  return [
    ...plain.map((fact) => askFact(scene, fact, "user")),
    ...random.sample(material.answers, COUNT.answers).map((answer) => askAnswer(scene, answer)),
    ...random.sample(material.tastes, COUNT.tastes).map((taste) => askFact(scene, taste, "preference")),
    ...random.sample(material.tallies, COUNT.tallies).map((tally) => askTally(scene, tally)),
    ...random.sample(material.pairs, COUNT.pairs).map((pair) => askPair(scene, pair)),
    ...times,
    ...changes,
    ...near.map((fact) => askBesideFact(scene, fact)),
    ...random.sample(material.strangers, COUNT.strangers).map((stranger) => askStranger(scene, stranger)),
  ];
}

const hasUnsaid = (fact: Fact): fact is Fact & { readonly unsaid: Unsaid } => fact.unsaid !== undefined;
