import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod/mini";
import type { Ability, Conversation, History, Question } from "../history.ts";
import { checked, type Dataset, DatasetError, dayAfter, jsonIn, scorable } from "./dataset.ts";
import { pairMessages } from "./pair-messages.ts";

const ABILITY_OF: Readonly<Record<string, Ability>> = {
  abstention: "abstention",
  information_extraction: "extraction",
  instruction_following: "extraction",
  preference_following: "extraction",
  multi_session_reasoning: "multi",
  summarization: "multi",
  event_ordering: "temporal",
  temporal_reasoning: "temporal",
  knowledge_update: "updates",
  contradiction_resolution: "updates",
};

const message = z.object({
  id: z.int(),
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  time_anchor: z.optional(z.nullable(z.string())),
});
/** A turn of BEAM is a main question with everything that follows up on it. */
const batches = z.array(z.object({ turns: z.array(z.array(message)) }));

const probes = z.record(
  z.string(),
  z.array(z.object({ question: z.string(), source_chat_ids: z.optional(z.nullable(z.unknown())) })),
);

const MINUTE = 60_000;
/** What the generator of BEAM leaves at the end of a message: the batch and bullet of its plan. */
const PLAN_MARK = /\s*->->.*$/s;

/** BEAM: one `chat.json`, or a folder of numbered chats, of which at most `limit` are read. */
export function beam(path: string, limit?: number): Dataset {
  const loaded = chatsIn(path, limit).map((file) => historyOf(file));
  return {
    histories: loaded.map(({ history }) => history),
    leftOut: loaded.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

function chatsIn(path: string, limit?: number): readonly string[] {
  if (!existsSync(path)) throw new DatasetError(path, "no such file or folder");
  if (!statSync(path).isDirectory()) return [path];
  const chats = readdirSync(path)
    .toSorted((one, other) => Number(one) - Number(other))
    .map((name) => join(path, name, "chat.json"))
    .filter((file) => existsSync(file))
    .slice(0, limit);
  if (chats.length === 0) throw new DatasetError(path, "no folder in it has a chat.json");
  return chats;
}

function historyOf(file: string): { readonly history: History; readonly leftOut: number } {
  const id = dirname(file).split("/").slice(-2).join("-");
  const roundOf = new Map<number, string>();
  const conversations = conversationsIn(file, roundOf);
  const now = dayAfter(conversations.map(({ date }) => date));
  const questionFile = join(dirname(file), "probing_questions", "probing_questions.json");
  const asked = checked(probes, jsonIn(questionFile), { file: questionFile, root: "questions" });
  const questions = Object.entries(asked).flatMap(([kind, list]) => {
    const ability = ABILITY_OF[kind];
    if (ability === undefined) throw new DatasetError(questionFile, `questions.${kind}: unknown type of question`);
    return list.map(({ question, source_chat_ids: sources }, index): Question => {
      const rounds = ability === "abstention" ? [] : idsIn(sources).flatMap((source) => roundOf.get(source) ?? []);
      const evidence = [...new Set(rounds)].map((round) => ({ round, holds: "" }));
      return {
        id: `${id}-${kind}-${index + 1}`,
        ability,
        kind,
        text: question,
        now,
        evidence,
        outdated: [],
        never: [],
      };
    });
  });
  const { kept, leftOut } = scorable(questions);
  return { history: { id, conversations, questions: kept }, leftOut };
}

/** A conversation for each turn, dated by the anchor of its batch. Adds the round of each message to `roundOf`. */
function conversationsIn(file: string, roundOf: Map<number, string>): readonly Conversation[] {
  const conversations: Conversation[] = [];
  let clock = Number.NaN;
  for (const [number, { turns }] of checked(batches, flat(jsonIn(file)), { file, root: "batches" }).entries()) {
    const anchor = turns.flat().find(({ time_anchor: time }) => time)?.time_anchor;
    if (anchor) clock = Date.parse(`${anchor.replaceAll("-", " ")} 00:00 UTC`);
    if (Number.isNaN(clock))
      throw new DatasetError(file, `batches.${number}: expected a message with a time_anchor like "March-15-2024"`);
    for (const messages of turns) {
      const id = `t${conversations.length + 1}`;
      const texts = messages.map(({ role, content }) => ({ by: role, text: content.replace(PLAN_MARK, "") }));
      const paired = pairMessages(id, texts);
      for (const [index, { id: source }] of messages.entries()) roundOf.set(source, paired.roundOf[index] ?? id);
      conversations.push({ id, date: new Date(clock).toISOString(), rounds: paired.rounds });
      clock += paired.rounds.length * MINUTE;
    }
  }
  if (conversations.length === 0) throw new DatasetError(file, "batches: expected at least 1 item");
  return conversations;
}

/** The chats of 10 million tokens hold plans, each with batches of its own. */
function flat(json: unknown): unknown {
  if (!Array.isArray(json)) return json;
  return json.flatMap((one: unknown) =>
    typeof one === "object" && one !== null && /^plan-\d+$/.test(Object.keys(one)[0] ?? "")
      ? Object.values(one).flat()
      : [one],
  );
}

/** Ids stand in a list, in a list of lists, or in lists by name. */
function idsIn(sources: unknown): readonly number[] {
  if (typeof sources === "number") return [sources];
  if (typeof sources === "string") return [Number(sources)];
  return typeof sources === "object" && sources !== null ? Object.values(sources).flatMap(idsIn) : [];
}
