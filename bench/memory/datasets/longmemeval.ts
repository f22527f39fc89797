import * as z from "zod/mini";
import type { Ability, Conversation, Evidence, History } from "../history.ts";
import { checked, type Dataset, DatasetError, jsonIn } from "./dataset.ts";
import { pairMessages } from "./pair-messages.ts";

const ABILITY_OF = {
  "single-session-user": "extraction",
  "single-session-assistant": "extraction",
  "single-session-preference": "extraction",
  "multi-session": "multi",
  "temporal-reasoning": "temporal",
  "knowledge-update": "updates",
} as const satisfies Readonly<Record<string, Ability>>;

/** "2023/05/20 (Sat) 02:21" */
const DATE = /^(\d{4})\/(\d\d)\/(\d\d)(?: \(\w+\))? (\d\d):(\d\d)$/;
const date = z
  .string()
  .check(z.refine((text) => isoOf(text) !== undefined, { error: 'expected a date like "2023/05/20 (Sat) 02:21"' }));

const instance = z.object({
  question_id: z.string(),
  question_type: z.enum(Object.keys(ABILITY_OF) as [keyof typeof ABILITY_OF]),
  question: z.string(),
  question_date: date,
  haystack_dates: z.array(date),
  haystack_session_ids: z.array(z.string()),
  haystack_sessions: z.array(
    z.array(
      z.object({
        role: z.enum(["user", "assistant"]),
        content: z.string(),
        has_answer: z.optional(z.nullable(z.boolean())),
      }),
    ),
  ),
  answer_session_ids: z.array(z.string()),
});
type Instance = z.output<typeof instance>;

/** LongMemEval: a history for each question, at most `limit` of them. */
export function longMemEval(file: string, limit?: number): Dataset {
  const json = jsonIn(file);
  const first = Array.isArray(json) ? json.slice(0, limit) : json;
  const instances = checked(z.array(instance), first, { file, root: "instances" });
  return {
    histories: instances.map((one, index) => historyOf(one, { file, at: `instances.${index}` })),
    leftOut: 0,
  };
}

function historyOf(one: Instance, { file, at }: { readonly file: string; readonly at: string }): History {
  const { haystack_sessions: sessions, haystack_session_ids: ids, haystack_dates: dates } = one;
  if (ids.length !== sessions.length || dates.length !== sessions.length)
    throw new DatasetError(
      file,
      `${at}: ${sessions.length} haystack_sessions, ${ids.length} haystack_session_ids and ${dates.length} haystack_dates`,
    );
  const conversations = new Map<string, Conversation>();
  const marked = new Map<string, readonly string[]>();
  for (const [index, turns] of sessions.entries()) {
    const name = ids[index] ?? "";
    // The same session listed again adds nothing that could be found.
    if (conversations.has(name)) continue;
    const id = `s${index + 1}`;
    const messages = turns.map(({ role, content }) => ({ by: role, text: content }));
    const { rounds, roundOf } = pairMessages(id, messages);
    conversations.set(name, { id, date: isoOf(dates[index] ?? "") ?? "", rounds });
    marked.set(name, [...new Set(roundOf.filter((_, turn) => turns[turn]?.has_answer === true))]);
  }
  const evidence = one.answer_session_ids.flatMap((name, index): Evidence[] => {
    const id = conversations.get(name)?.id;
    if (id === undefined) throw new DatasetError(file, `${at}.answer_session_ids.${index}: no session ${name}`);
    const rounds = marked.get(name) ?? [];
    return (rounds.length > 0 ? rounds : [id]).map((round) => ({ round, holds: "" }));
  });
  const isAbstention = one.question_id.endsWith("_abs");
  if (!isAbstention && evidence.length === 0)
    throw new DatasetError(file, `${at}.answer_session_ids: expected at least 1 item`);
  return {
    id: one.question_id,
    conversations: [...conversations.values()],
    questions: [
      {
        id: one.question_id,
        ability: isAbstention ? "abstention" : ABILITY_OF[one.question_type],
        kind: one.question_type,
        text: one.question,
        now: isoOf(one.question_date) ?? "",
        evidence: isAbstention ? [] : evidence,
        outdated: [],
        never: [],
      },
    ],
  };
}

function isoOf(text: string): string | undefined {
  const [, year, month, day, hour, minute] = DATE.exec(text) ?? [];
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00.000Z`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
