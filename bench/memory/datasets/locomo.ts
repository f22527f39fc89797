import * as z from "zod/mini";
import type { Ability, Conversation, History, Question } from "../history.ts";
import { checked, type Dataset, DatasetError, dayAfter, jsonIn, scorable } from "./dataset.ts";
import { pairMessages } from "./pair-messages.ts";

const CATEGORIES: Readonly<Record<number, { readonly kind: string; readonly ability: Ability }>> = {
  1: { kind: "multi-hop", ability: "multi" },
  2: { kind: "temporal", ability: "temporal" },
  3: { kind: "open-domain", ability: "extraction" },
  4: { kind: "single-hop", ability: "extraction" },
  5: { kind: "adversarial", ability: "abstention" },
};

const turns = z.array(
  z.object({
    speaker: z.string(),
    dia_id: z.string(),
    text: z.string(),
    blip_caption: z.optional(z.nullable(z.string())),
  }),
);

const samples = z.array(
  z.object({
    sample_id: z.optional(z.string()),
    // session_1, session_1_date_time, session_2 … beside the names of the speakers.
    conversation: z.record(z.string(), z.unknown()),
    qa: z.array(
      z.object({
        question: z.string(),
        category: z.literal([1, 2, 3, 4, 5]),
        evidence: z.optional(z.nullable(z.array(z.string()))),
      }),
    ),
  }),
);
type Sample = z.output<typeof samples>[number];

/** "1:56 pm on 8 May, 2023" */
const DATE = /^(\d{1,2}):(\d\d) (am|pm) on (\d{1,2} \w+,? \d{4})$/i;

/** LoCoMo: conversations of two people, at most `limit` of them. */
export function locomo(file: string, limit?: number): Dataset {
  const json = jsonIn(file);
  const first = Array.isArray(json) ? json.slice(0, limit) : json;
  const loaded = checked(samples, first, { file, root: "samples" }).map((sample, index) =>
    historyOf(sample, { file, root: `samples.${index}` }),
  );
  return {
    histories: loaded.map(({ history }) => history),
    leftOut: loaded.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

function historyOf(
  { sample_id: name, conversation, qa }: Sample,
  at: { readonly file: string; readonly root: string },
): { readonly history: History; readonly leftOut: number } {
  const id = name ?? at.root;
  const rounds = new Map<string, string>();
  const conversations = Object.keys(conversation)
    .filter((key) => /^session_\d+$/.test(key))
    .map((key) => sessionOf(conversation, key, { rounds, ...at }));
  if (conversations.length === 0) throw new DatasetError(at.file, `${at.root}.conversation: no session_1`);
  const now = dayAfter(conversations.map(({ date }) => date));
  const questions = qa.map(({ question, category, evidence }, index): Question => {
    const { kind, ability } = CATEGORIES[category] as (typeof CATEGORIES)[number];
    // Some entries of the published file hold several ids, and some name no turn.
    const named = (evidence ?? []).flatMap((ids) => ids.split(/[\s,;]+/)).flatMap((turn) => rounds.get(turn) ?? []);
    return {
      id: `${id}-q${index + 1}`,
      ability,
      kind,
      text: question,
      now,
      evidence: ability === "abstention" ? [] : [...new Set(named)].map((round) => ({ round, holds: "" })),
      outdated: [],
      never: [],
    };
  });
  const { kept, leftOut } = scorable(questions);
  return { history: { id, conversations, questions: kept }, leftOut };
}

/** Adds the round of each turn to `rounds`. */
function sessionOf(
  conversation: Sample["conversation"],
  key: string,
  { rounds, file, root }: { readonly rounds: Map<string, string>; readonly file: string; readonly root: string },
): Conversation {
  const place = `${root}.conversation.${key}`;
  const said = checked(turns, conversation[key], { file, root: place });
  const date = isoOf(conversation[`${key}_date_time`]);
  if (date === undefined)
    throw new DatasetError(file, `${place}_date_time: expected a date like "1:56 pm on 8 May, 2023"`);
  const id = key.replace("session_", "s");
  const paired = pairMessages(
    id,
    said.map(({ speaker, text, blip_caption: image }) => ({
      by: "either",
      text: `${speaker}: ${text}${image ? ` [shares an image: ${image}]` : ""}`,
    })),
  );
  for (const [index, { dia_id: turn }] of said.entries()) rounds.set(turn, paired.roundOf[index] ?? id);
  return { id, date, rounds: paired.rounds };
}

function isoOf(value: unknown): string | undefined {
  const [, hour, minute, half, day] = DATE.exec(typeof value === "string" ? value.trim() : "") ?? [];
  const at = Date.parse(`${day?.replace(",", "")} 00:00 UTC`);
  if (Number.isNaN(at)) return undefined;
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0);
  return new Date(at + (hours * 60 + Number(minute)) * 60_000).toISOString();
}
