import { isRecord } from "../../src/shared/json-values.ts";
import { CliFailure } from "../exit-codes.ts";

type Fields = Readonly<Record<string, unknown>>;

export interface LettaBlock {
  readonly label: string;
  readonly value: string;
}

export interface LettaMessage {
  readonly role: string;
  /** Text the message consists of, without reasoning. */
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: Fields }[];
  /** Results of calls, by the ids of these. */
  readonly results: readonly { readonly id: string; readonly text: string; readonly failed: boolean }[];
  /** Null when the file has no time. */
  readonly at: string | null;
}

/** What of an agent file has a place in orchd, and the names of the rest. */
export interface LettaAgent {
  readonly name: string;
  readonly description: string;
  /** Whether its text beside calls is its inner monologue, and what it says is an argument of `send_message`. */
  readonly thinksAloud: boolean;
  readonly blocks: readonly LettaBlock[];
  readonly tools: readonly string[];
  readonly messages: readonly LettaMessage[];
  readonly others: readonly { readonly kind: string; readonly count: number }[];
}

/** Reads the agents of a Letta agent file: of the form with lists by kind, or of the earlier one with one agent. */
export function readAgentFile(text: string): readonly LettaAgent[] {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch (error) {
    throw invalid(`expected JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (!isRecord(file)) throw invalid("expected an object");
  if (Array.isArray(file["agents"])) {
    const shared = { blocks: byId(file, "blocks"), tools: byId(file, "tools"), file };
    return recordsOf(file, "agents").map((agent) => agentOf(agent, shared));
  }
  if (!Array.isArray(file["core_memory"])) throw invalid("expected a Letta agent file, with agents or core_memory");
  return [earlierAgent(file)];
}

function agentOf(
  agent: Fields,
  {
    blocks,
    tools,
    file,
  }: {
    readonly blocks: ReadonlyMap<string, Fields>;
    readonly tools: ReadonlyMap<string, Fields>;
    readonly file: Fields;
  },
): LettaAgent {
  const named = (list: ReadonlyMap<string, Fields>, ids: string): readonly Fields[] =>
    stringsOf(agent, ids).flatMap((id): readonly Fields[] => {
      const found = list.get(id);
      return found === undefined ? [] : [found];
    });
  return {
    ...commonOf(agent),
    blocks: [...recordsOf(agent, "memory_blocks"), ...named(blocks, "block_ids")].map(blockOf),
    tools: [...stringsOf(agent, "tools"), ...named(tools, "tool_ids").map((tool) => textOf(tool["name"]))],
    others: othersOf(file, ["files", "sources", "mcp_servers", "groups", "skills"]),
  };
}

const earlierAgent = (agent: Fields): LettaAgent => ({
  ...commonOf(agent),
  blocks: recordsOf(agent, "core_memory").map(blockOf),
  tools: recordsOf(agent, "tools").map((tool) => textOf(tool["name"])),
  others: othersOf(agent, ["sources"]),
});

const commonOf = (agent: Fields) => ({
  name: textOf(agent["name"]) || "agent",
  description: textOf(agent["description"]),
  thinksAloud: agent["agent_type"] !== "letta_v1_agent",
  messages: recordsOf(agent, "messages").map(messageOf),
});

const othersOf = (file: Fields, kinds: readonly string[]) =>
  kinds.flatMap((kind) => {
    const count = recordsOf(file, kind).length;
    return count === 0 ? [] : [{ kind: kind.replaceAll("_", " "), count }];
  });

const blockOf = (block: Fields): LettaBlock => ({ label: textOf(block["label"]), value: textOf(block["value"]) });

function messageOf(message: Fields): LettaMessage {
  const { content, role, created_at: at } = message;
  const parts = Array.isArray(content) ? content.filter(isRecord) : [];
  const own = typeof content === "string" ? content : partTexts(parts).join("\n");
  // Messages of the earlier form have their text beside the role.
  const text = own === "" ? textOf(message["text"]) : own;
  return {
    role: textOf(role),
    text: spokenText(text),
    calls: recordsOf(message, "tool_calls").map(callOf),
    results: resultsOf(message, text),
    at: typeof at === "string" && !Number.isNaN(Date.parse(at)) ? new Date(at).toISOString() : null,
  };
}

const partTexts = (parts: readonly Fields[]): readonly string[] =>
  parts.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : []));

function callOf(call: Fields) {
  const made = isRecord(call["function"]) ? call["function"] : call;
  const input = parsed(textOf(made["arguments"]));
  return { id: textOf(call["id"]), name: textOf(made["name"]), input: isRecord(input) ? input : {} };
}

function resultsOf(message: Fields, text: string) {
  const returned = recordsOf(message, "tool_returns");
  if (returned.length > 0)
    return returned.map((one) => ({
      id: textOf(one["tool_call_id"]),
      text: textOf(one["func_response"] ?? one["tool_return"]) || text,
      failed: one["status"] === "error",
    }));
  const id = textOf(message["tool_call_id"]);
  return message["role"] === "tool" && id !== "" ? [{ id, text, failed: false }] : [];
}

/** Users' messages may be wrapped as an event; other events, such as heartbeats, say nothing. */
function spokenText(text: string): string {
  const event = text.startsWith("{") ? parsed(text) : null;
  if (!isRecord(event) || typeof event["type"] !== "string") return text;
  return event["type"] === "user_message" ? textOf(event["message"]) : EVENTS.has(event["type"]) ? "" : text;
}
const EVENTS: ReadonlySet<string> = new Set(["heartbeat", "login", "system_alert"]);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

const byId = (file: Fields, list: string): ReadonlyMap<string, Fields> =>
  new Map(recordsOf(file, list).map((one) => [textOf(one["id"]), one]));
const recordsOf = (of: Fields, name: string): readonly Fields[] => {
  const list = of[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
};
const stringsOf = (of: Fields, name: string): readonly string[] => {
  const list = of[name];
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
};
const textOf = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : "");
const invalid = (message: string): CliFailure => new CliFailure("usage", `the agent file cannot be read: ${message}`);
