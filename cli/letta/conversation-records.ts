import { createHash } from "node:crypto";
import type { LettaAgent, LettaMessage } from "./read-agent-file.ts";

/** A record of a memory file. */
export type FileRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface Conversation {
  readonly records: readonly FileRecord[];
  readonly taken: { readonly turns: number; readonly messages: number; readonly calls: number };
  readonly left: readonly string[];
}

type Content = Readonly<Record<string, unknown>>;

interface Turn {
  readonly id: string;
  readonly asked: LettaMessage & { readonly at: string };
  readonly answers: LettaMessage[];
}

/** What the agent says by a call of this tool is its answer. */
const SEND_MESSAGE = "send_message";

/**
 * The conversation of an agent as a task of a memory file. Ids follow from what the messages are, so that the engine skips
 * what an earlier import has brought.
 */
export function conversationRecords(
  agent: LettaAgent,
  { taskId, now }: { readonly taskId: string; readonly now: string },
): Conversation {
  const spoken = agent.messages.filter(({ role }) => role !== "system");
  const first = spoken.findIndex(({ role, text }) => role === "user" && text.trim() !== "");
  const turns = first === -1 ? [] : turnsOf(spoken.slice(first), { taskId, now });
  const left: string[] = [];
  const note = (count: number, what: string) => (count > 0 ? left.push(`${count} ${what}`) : undefined);
  note(agent.messages.length - spoken.length, "system messages");
  note(first === -1 ? spoken.length : first, "messages before the first one of the user");
  const built = turns.map((turn) => recordsOfTurn(agent, turn, taskId));
  note(sum(built.map(({ thoughts }) => thoughts)), "texts of inner monologue");
  note(sum(built.map(({ unanswered }) => unanswered)), "calls without a result");
  const [opening] = turns;
  if (opening === undefined) return { records: [], taken: { turns: 0, messages: 0, calls: 0 }, left };
  const times = { created_at: opening.asked.at, last_active_at: turns.at(-1)?.asked.at ?? opening.asked.at };
  const tokens = { input_tokens: 0, output_tokens: 0, cache_hit_tokens: 0 };
  const origin = { imported_from: "letta", letta_agent: agent.name.slice(0, 1000) };
  const task = {
    type: "task",
    task_id: taskId,
    branch: "br_1",
    title: agent.name.slice(0, 200),
    title_source: "user",
    agent: "default",
    ...times,
    archived: false,
    metadata: origin,
    ...tokens,
    parent_task_id: null,
    parent_message: null,
  };
  const branch = {
    type: "branch",
    id: "br_1",
    task_id: taskId,
    parent: null,
    through: null,
    created_at: opening.asked.at,
  };
  const of = (kind: "turn" | "messages" | "episode") => built.flatMap((one) => one[kind]);
  const messages = of("messages").map((one, index) => ({ ...one, id: `msg_${index + 1}` }));
  return {
    records: [task, branch, ...of("turn"), ...messages, ...of("episode")],
    taken: { turns: turns.length, messages: messages.length, calls: sum(built.map(({ calls }) => calls)) },
    left,
  };
}

/** A message of the user and what follows, with the time of each. Messages without one get that of the message before. */
function turnsOf(
  messages: readonly LettaMessage[],
  { taskId, now }: { readonly taskId: string; readonly now: string },
): readonly Turn[] {
  const turns: Turn[] = [];
  const earlier = new Map<string, number>();
  let at = messages.find((one) => one.at !== null)?.at ?? now;
  for (const message of messages) {
    at = message.at ?? at;
    if (message.role !== "user") turns.at(-1)?.answers.push({ ...message, at });
    else if (message.text.trim() !== "") {
      const said = `${message.at ?? ""}\n${message.text}`;
      const count = earlier.get(said) ?? 0;
      earlier.set(said, count + 1);
      turns.push({ id: `turn_letta-${hashOf([taskId, said, count])}`, asked: { ...message, at }, answers: [] });
    }
  }
  return turns;
}

function recordsOfTurn({ thinksAloud }: LettaAgent, { id, asked, answers }: Turn, taskId: string) {
  const of = { turn_id: id, task_id: taskId };
  const results = new Map(answers.flatMap((message) => message.results).map((one) => [one.id, one]));
  const messages: FileRecord[] = [];
  const put = (role: string, at: string | null, content: unknown) =>
    messages.push({ type: "message", branch: "br_1", created_at: at, ...of, thread: "", role, content });
  const texts: string[] = [];
  let [thoughts, unanswered, calls] = [0, 0, 0];
  put("user", asked.at, asked.text);
  for (const message of answers.filter(({ role }) => role === "assistant" || role === "approval")) {
    const isThought = thinksAloud && message.calls.length > 0;
    const said = message.calls.flatMap(({ name, input }) =>
      name === SEND_MESSAGE && typeof input["message"] === "string" ? [input["message"].toWellFormed()] : [],
    );
    if (isThought && message.text.trim() !== "") thoughts++;
    else if (message.text.trim() !== "") said.unshift(message.text);
    texts.push(...said);
    const made = message.calls.filter(({ name }) => name !== SEND_MESSAGE);
    const answered = made.filter((call) => results.has(call.id));
    unanswered += made.length - answered.length;
    calls += answered.length;
    const uses = answered.map((call): Content => ({
      kind: "tool_use",
      id: call.id,
      tool: call.name,
      input: call.input,
    }));
    const content = [...said.map((text): Content => ({ kind: "text", text })), ...uses];
    if (content.length > 0) put("assistant", message.at, content);
    if (answered.length === 0) continue;
    const outcomes = answered.map((call) => {
      const result = results.get(call.id);
      return { id: call.id, tool: call.name, output: result?.text ?? "", isError: result?.failed === true };
    });
    put("tool", message.at, outcomes);
  }
  const ended = answers.at(-1)?.at ?? asked.at;
  const turn = {
    type: "turn",
    id,
    task_id: taskId,
    state: "completed",
    message: asked.text,
    metadata: { imported_from: "letta" },
    request: { agent: "default" },
    error_code: null,
    started_at: asked.at,
    ended_at: ended,
    output: null,
    usage: null,
  };
  const key = asked.text.replaceAll(/\s+/g, " ").slice(0, 200);
  const episode = {
    type: "episode",
    id: `ep_letta-${hashOf([id])}`,
    ...of,
    key,
    description: key,
    question: asked.text,
    answer: texts.join("\n\n"),
    keys: "",
    importance: 3,
    source: "conversation",
    trust: "external",
    event_time: asked.at,
    created_at: ended,
  };
  return { turn: [turn], messages, episode: texts.length === 0 ? [] : [episode], thoughts, unanswered, calls };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
export const hashOf = (of: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 32);
