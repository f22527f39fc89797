import * as z from "zod/mini";
import { catch as otherwise } from "zod/mini";
import { lazily } from "../../shared/lazily.ts";
import { negatedPredicate, normalPredicate } from "../memory/predicates.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import { type ReadJson, readJson } from "./ask-model.ts";
import { type ExtractedFact, type Extraction, NOTHING } from "./extraction.ts";

const text = (max: number) => z.string().check(z.maxLength(max));
/** Made for the first batch: a start-up snapshot holds no schema of it. */
const answer = lazily(() => {
  const importance = otherwise(z.number().check(z.gte(1), z.lte(10)), 3);
  const fact = z.object({
    text: text(1000),
    subject: text(300),
    predicate: text(300),
    object: text(1000),
    single: z.optional(z.nullable(z.boolean())),
    negated: z.optional(z.nullable(z.boolean())),
    valid_from: z.optional(z.nullable(text(40))),
    importance: z.optional(importance),
    said_by: z.enum(["user", "assistant", "note"]),
  });
  const person = z.object({
    name: text(200),
    type: otherwise(z.enum(["person", "organisation", "place", "animal", "thing"]), "thing"),
    relation: z.optional(z.nullable(text(100))),
    aliases: z.optional(z.nullable(z.array(text(200)).check(z.maxLength(10)))),
  });
  const round = z.object({
    turn: text(200),
    key: z.optional(z.nullable(text(500))),
    description: z.optional(z.nullable(text(2000))),
    importance: z.optional(importance),
    facts: z.array(fact).check(z.maxLength(60)),
    people: z.optional(z.nullable(z.array(person).check(z.maxLength(40)))),
  });
  return z.object({ rounds: z.array(round).check(z.maxLength(200)) });
});

/** Parses the model's answer into one extraction per requested round; other rounds are ignored. */
export function readAnswer(text: string, rounds: readonly Round[]): ReadJson<ReadonlyMap<string, Extraction>> {
  const read = readJson(text, answer());
  if (read.kind === "unreadable") return read;
  const given = new Map(read.value.rounds.map((one) => [one.turn, one]));
  const value = new Map(
    rounds.map((round) => {
      const one = given.get(round.trajectory.turnId);
      return [round.trajectory.turnId, one === undefined ? NOTHING : extractionOf(one, round)];
    }),
  );
  return { kind: "read", value };
}

const MAX_LENGTH = { key: 80, description: 300 };
const singleLine = (text: string, max: number): string =>
  text
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, max)
    .toWellFormed();

type AnsweredRound = z.output<ReturnType<typeof answer>>["rounds"][number];
type AnsweredFact = AnsweredRound["facts"][number];

function extractionOf({ key, description, importance, facts, people }: AnsweredRound, round: Round): Extraction {
  const title = singleLine(key ?? "", MAX_LENGTH.key);
  const at = round.episode?.eventTime ?? round.trajectory.createdAt;
  return {
    facts: facts.map((one) => ({
      subject: one.subject,
      ...predicateOf(one),
      object: one.object.trim(),
      content: one.text.trim(),
      single: one.single ?? false,
      validFrom: timeOf(one.valid_from ?? null, at),
      importance: one.importance ?? 5,
      confidence: 0.9,
      speaker: one.said_by,
      evidence: one.text,
    })),
    people: (people ?? []).map(({ name, type, relation, aliases }) => ({
      name: name.trim(),
      type,
      relation: relation?.toLowerCase().trim() || null,
      aliases: aliases ?? [],
    })),
    episode:
      title === ""
        ? null
        : {
            key: title,
            description: singleLine(description ?? "", MAX_LENGTH.description),
            importance: importance ?? 3,
          },
  };
}

const DENIAL = /^(?:no longer|does not|doesn't|do not|is not|isn't|did not|not|never|stopped|quit) /i;

/** Past-tense predicates: a sentence in the past does not state the present. */
const FORMER: Readonly<Record<string, readonly [RegExp, string]>> = {
  "lives in": [
    /(?<!(?:has|have|'ve) (?:\w+ )?)\b(?:lived|resided)\b|\b(?:used to|was|were) liv(?:e|ing)\b/i,
    "lived in",
  ],
  "works at": [/(?<!(?:has|have|'ve) (?:\w+ )?)\bworked\b|\b(?:used to|was|were) work(?:ing)?\b/i, "worked at"],
};

/** Negation may be in the predicate, the flag, or both; the past tense only in the sentence. */
function predicateOf({ predicate: stated, text, negated }: AnsweredFact): Pick<ExtractedFact, "predicate" | "negated"> {
  const plain = stated.trim().replace(DENIAL, "");
  const denied = negated === true || plain !== stated.trim();
  const present = normalPredicate(plain);
  const [isFormer, former] = FORMER[present] ?? [];
  const predicate = !denied && former !== undefined && isFormer?.test(text) === true ? former : present;
  return { predicate: denied ? negatedPredicate(predicate) : predicate, negated: denied };
}

const DAY = 86_400_000;

/** A plausible date: not in the far future, and not the round's own day, whose exact time is known. */
function timeOf(text: string | null, at: number): number | null {
  const time = /^\d{4}(?:-\d{2}(?:-\d{2})?)?/.test(text ?? "") ? Date.parse(text ?? "") : Number.NaN;
  if (Number.isNaN(time) || time > at + 3660 * DAY || (time <= at && at < time + DAY)) return null;
  return time;
}
