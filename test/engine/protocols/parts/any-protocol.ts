import type { Answer } from "../../../helpers/api.ts";
import { ask } from "../../../helpers/api.ts";
import { LEGACY_MCP, RAW_CALLS, type RawProtocol, sendRaw } from "./raw-calls.ts";

/** An engine's address and key, as a client of a protocol has them. */
export interface Way {
  readonly url: string;
  readonly key: string;
}

export const BEGINNERS = [...(Object.keys(RAW_CALLS) as RawProtocol[]), "Managed Agents"] as const;
type Beginner = (typeof BEGINNERS)[number];

const get = (way: Way, path: string): Promise<Answer> =>
  ask(way.url, path, { headers: { authorization: `Bearer ${way.key}` } });
const post = (way: Way, path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  sendRaw(way, { path, body, headers });
const enc = encodeURIComponent;

/** The JSON of each frame of a stream. */
const frames = ({ text }: Answer) =>
  [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json = ""]) => JSON.parse(json) as Record<string, never>);

/** Sends a message that ends in a question, and reads to the question. */
export async function begin(way: Way, protocol: Beginner, { task, text }: { task: string; text: string }) {
  if (protocol !== "Managed Agents") return sendRaw(way, RAW_CALLS[protocol]({ task, text, id: "m1" }));
  const content = [{ type: "text", text }];
  await post(way, "/tasks", { task_id: task }, { "x-engine-key": way.key });
  return post(way, `/v1/sessions/${enc(task)}/events`, { events: [{ type: "user.message", content }] });
}

const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
const mcpTool = async (way: Way, name: string, args: object) => {
  const headers = { "mcp-protocol-version": LEGACY_MCP };
  const answer = await post(way, "/mcp", rpc("tools/call", { name, arguments: args }), headers);
  const last = frames(answer).at(-1) as never as { result: { structuredContent: Record<string, never> } };
  return last.result.structuredContent;
};
const managedEvents = async (way: Way, task: string) =>
  (await get(way, `/v1/sessions/${enc(task)}/events?limit=1000`)).body.data as readonly Record<string, never>[];
const agUi = (way: Way, task: string, more: object = {}) =>
  post(way, "/ag-ui", { threadId: task, runId: "r2", messages: [], ...more });
const uiMessages = async (way: Way, task: string) =>
  (await get(way, `/v1/ui/chat/${enc(task)}/messages`)).body.messages;

type Answering = (way: Way, task: string, answer: string) => Promise<Answer>;

/** Answers the open question of a task that another protocol began. */
export const ANSWERS = {
  "chat completions": (way, task, content) =>
    post(way, "/v1/chat/completions", {
      model: "default",
      messages: [{ role: "user", content }],
      metadata: { task_id: task },
    }),
  Responses: (way, task, input) => post(way, "/v1/responses", { model: "default", conversation: task, input }),
  async "AI SDK UI"(way, task, answer) {
    const messages = await uiMessages(way, task);
    const last = messages.at(-1);
    const answered = (part: { toolName?: string; state?: string }) =>
      part.toolName === "ask_human" && part.state === "input-available"
        ? { ...part, state: "output-available", output: { answer } }
        : part;
    return post(way, "/v1/ui/chat", { id: task, messages: [{ ...last, parts: last.parts.map(answered) }] });
  },
  async "AG-UI"(way, task, answer) {
    const last = frames(await agUi(way, task)).at(-1) as never as { outcome: { interrupts: { id: string }[] } };
    const resume = last.outcome.interrupts.map(({ id }) => ({
      interruptId: id,
      status: "resolved",
      payload: { answer },
    }));
    return agUi(way, task, { resume });
  },
  A2A: (way, task, answer) => sendRaw(way, RAW_CALLS.A2A({ task, text: answer, id: "m2" })),
  async MCP(way, task, answer) {
    const asked = (await mcpTool(way, "ask", { task_id: task })) as never as { question: { request_id: string } };
    const headers = { "mcp-protocol-version": LEGACY_MCP };
    const args = { request_id: asked.question.request_id, answer };
    return post(way, "/mcp", rpc("tools/call", { name: "answer", arguments: args }), headers);
  },
  async "Managed Agents"(way, task, text) {
    const asked = (await managedEvents(way, task)).find(({ type }) => type === "agent.custom_tool_use");
    const event = {
      type: "user.custom_tool_result",
      custom_tool_use_id: asked?.["id"],
      content: [{ type: "text", text }],
    };
    return post(way, `/v1/sessions/${enc(task)}/events`, { events: [event] });
  },
} satisfies Readonly<Record<string, Answering>>;

type Reading = (way: Way, task: string) => Promise<readonly string[]>;
const BETWEEN = "\n\n";

/** The texts of the last turn of a task, which may still run. */
export const READS = {
  async Responses(way, task) {
    const { items } = (await ask(way.url, `/turns?task_id=${enc(task)}`, { headers: { "x-engine-key": way.key } }))
      .body;
    const stream = await get(way, `/v1/responses/resp_${items[0].turn_id.slice("turn_".length)}?stream=true`);
    const asked = frames(stream).at(-1) as never as { response: Shown };
    // It ends with the question. The rest is the response that begins there.
    const rest = await get(way, `/v1/responses/${asked.response.id}_${await questionSeq(way, task)}?stream=true`);
    const ended = frames(rest).at(-1) as never as { response: Shown };
    return [...textsOf(asked.response).slice(0, -1), ...textsOf(ended.response)];
  },
  async "AI SDK UI"(way, task) {
    await get(way, `/v1/ui/chat/${enc(task)}/stream`);
    const { parts } = (await uiMessages(way, task)).at(-1);
    return parts.filter(({ type }: { type: string }) => type === "text").map(({ text }: { text: string }) => text);
  },
  async "AG-UI"(way, task) {
    // The turn in flight, to its end.
    await agUi(way, task);
    const events = frames(await agUi(way, task));
    const { messages } = events.find(({ type }) => type === "MESSAGES_SNAPSHOT") as never as {
      messages: { role: string; content?: string }[];
    };
    return messages.flatMap(({ role, content }) => (role === "assistant" && content ? content : []));
  },
  async A2A(way, task) {
    const listed = (await post(way, "/a2a", rpc("ListTasks", { contextId: task }))).body.result.tasks[0];
    await post(way, "/a2a", rpc("SubscribeToTask", { id: listed.id }));
    const { artifacts } = (await post(way, "/a2a", rpc("GetTask", { id: listed.id }))).body.result;
    return artifacts[0].parts[0].text.split(BETWEEN);
  },
  async MCP(way, task) {
    const { answer } = (await mcpTool(way, "ask", { task_id: task })) as never as { answer: string };
    return answer.split(BETWEEN);
  },
  async "Managed Agents"(way, task) {
    await mcpTool(way, "ask", { task_id: task });
    const said = (await managedEvents(way, task)).filter(({ type }) => type === "agent.message");
    return said.map(({ content }) => (content as never as { text: string }[])[0]?.text ?? "");
  },
} satisfies Readonly<Record<string, Reading>>;

interface Shown {
  readonly id: string;
  readonly output: readonly { readonly type: string; readonly content: readonly { readonly text: string }[] }[];
}
const textsOf = ({ output }: Shown): string[] =>
  output.filter(({ type }) => type === "message").flatMap(({ content }) => content.map(({ text }) => text));

async function questionSeq(way: Way, task: string): Promise<number> {
  const headers = { "x-engine-key": way.key };
  const { events } = (await ask(way.url, `/execute/replay?task_id=${enc(task)}`, { headers })).body;
  return events.find(({ event }: { event: string }) => event === "hitl_request").data.seq;
}
