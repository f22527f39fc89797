import { McpServer, type ServerContext, type StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import type { KnowledgeHit } from "../../../contract/engine/memory.ts";
import { VERSION } from "../../../shared/version.ts";
import type { EngineCalls } from "../engine-calls.ts";
import { findRequest, respond } from "./answer-question.ts";
import { addPrompts } from "./catalog-prompts.ts";
import type { Exchange } from "./exchange.ts";
import { attachTurn, startTurn } from "./follow-turn.ts";
import { type TurnCall, runTurn } from "./run-turn.ts";
import { errorResult, textResult, turnResult } from "./tool-result.ts";
import { addResources } from "./workspace-resources.ts";

const INSTRUCTIONS =
  "An agent of the user with files, tools and a memory. `ask` runs a turn of a conversation; the same task_id continues it. " +
  "A result with the status `question` waits for `answer`; one with `running` for `ask` with its task_id and no message.";

const say = (meaning: string) => z.describe(meaning);
const message = z.string().check(z.minLength(1));
const ask = z.object({
  message: z.optional(message.check(say("Omit it to wait for the task's running turn, or to read its last answer."))),
  task_id: z.optional(
    z.string().check(z.minLength(1), z.maxLength(256), say("The conversation. A new one when omitted.")),
  ),
  agent: z.optional(z.string().check(z.minLength(1), z.maxLength(64), say("An agent of the catalog."))),
  message_id: z.optional(
    z.string().check(z.minLength(1), z.maxLength(255), say("The same id and message again is the same message.")),
  ),
});
const answer = z.object({
  request_id: z.string().check(say("The id of the question, of the result that has it.")),
  answer: message.check(z.maxLength(100_000), say("One of the options, or other text where the question allows it.")),
});
const search = z.object({
  query: message.check(say("What to look for.")),
  limit: z.optional(z.int().check(z.minimum(1), z.maximum(100), say("Results at most. 10 when omitted."))),
});
const found = z.object({
  results: z.array(
    z.object({ id: z.string(), kind: z.string(), key: z.string(), content: z.string(), event_time: z.string() }),
  ),
});
const remember = z.object({ text: message.check(say("What to remember, in whole sentences.")) });

export interface ServerParts {
  readonly calls: EngineCalls;
  readonly exchangeOf: (context: ServerContext) => Exchange;
  /** Whether results may ask for input: see `TurnCall`. */
  readonly requiresInput: (server: McpServer) => boolean;
  readonly supportedProtocolVersions?: string[];
}

/** The server for one request. It holds nothing: what a request waits for is in the engine's store. */
export function createServer({ calls, exchangeOf, requiresInput, ...options }: ServerParts): McpServer {
  const server = new McpServer(
    { name: "orchd", title: "orchd agent", version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS, ...options },
  );
  addResources(server, calls);
  addPrompts(server, calls);
  const callOf = (context: ServerContext): TurnCall => {
    const exchange = exchangeOf(context);
    return { calls, exchange, context, requiresInput: requiresInput(server) };
  };
  server.registerTool(
    "ask",
    {
      title: "Ask the agent",
      description: "Sends a message to the agent and returns its answer. A turn may take minutes.",
      inputSchema: standard(ask),
      outputSchema: standard(turnResult),
      annotations: { openWorldHint: true },
    },
    (asked, context) => {
      const call = callOf(context);
      return runTurn(call, () => startTurn(asked, call));
    },
  );
  server.registerTool(
    "answer",
    {
      title: "Answer a question of the agent",
      description: "Answers a question or a permission prompt, and returns what the turn says then.",
      inputSchema: standard(answer),
      outputSchema: standard(turnResult),
      annotations: { openWorldHint: true },
    },
    ({ request_id: id, answer: text }, context) => {
      const call = callOf(context);
      return runTurn(call, async () => {
        const { task_id: task, turn_id: turn } = await findRequest(calls, id);
        await respond(calls, id, text);
        const attached = await attachTurn({ task, turn }, call);
        attached.progress.questions.delete(id);
        return attached;
      });
    },
  );
  server.registerTool(
    "remember",
    {
      title: "Remember",
      description: "Tells the agent something to remember about its user. It is a turn of a conversation of its own.",
      inputSchema: standard(remember),
      outputSchema: standard(turnResult),
    },
    ({ text }, context) => {
      const call = callOf(context);
      return runTurn(call, () => startTurn({ message: `Remember this for later:\n${text}` }, call));
    },
  );
  server.registerTool(
    "search_memory",
    {
      title: "Search the memory",
      description: "Searches what the agent remembers: facts, rounds of conversations, notes.",
      inputSchema: standard(search),
      outputSchema: standard(found),
      annotations: { readOnlyHint: true },
    },
    async (query) => {
      try {
        const { results } = await calls.call<{ readonly results: readonly KnowledgeHit[] }>("searchMemory", {
          body: query,
        });
        const items = results.map(({ id, kind, key, content, event_time }) => ({ id, kind, key, content, event_time }));
        return textResult(items.map(({ content }) => content).join("\n") || "Nothing found.", { results: items });
      } catch (error) {
        const { code, message: text } = calls.described(error);
        return errorResult(code, text);
      }
    },
  );
  return server;
}

/** `zod/mini` has the schema's JSON as a function of its own. */
const standard = <S extends z.ZodMiniType>(schema: S): StandardSchemaWithJSON<z.input<S>, z.output<S>> => {
  const json = () => z.toJSONSchema(schema, { io: "input" }) as Record<string, unknown>;
  return { "~standard": { ...schema["~standard"], jsonSchema: { input: json, output: json } } };
};
