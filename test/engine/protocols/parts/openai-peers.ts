import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ModelMessage, jsonSchema, stepCountIs, streamText, tool } from "ai";
import OpenAI from "openai";
import type { Response, ResponseInput } from "openai/resources/responses/responses";
import type { TestEngine } from "../../../helpers/engine.ts";
import { until } from "../../../helpers/until.ts";
import { LOOK_TOOL, type RandomTurn, replyTo } from "./random-turns.ts";

/** How a turn went, as its client saw it. */
export interface Outcome {
  /** Everything that the client was told, the questions too. */
  readonly text: string;
  readonly state: "completed" | "failed" | "cancelled";
}
export type Peer = (turn: RandomTurn) => Promise<Outcome>;

type Next =
  | { readonly kind: "answer"; readonly text: string; readonly isAllowed: boolean }
  | { readonly kind: "cancel" };

const plain = (text: string) => text.replace(/\s+/g, "");

/** The first of the texts that is not in the whole text, in their order and but for white space. Null: all are. */
export function missing(whole: string, texts: readonly string[]): string | null {
  let from = 0;
  for (const text of texts.map(plain)) {
    const at = plain(whole).indexOf(text, from);
    if (at < 0) return text;
    from = at + text.length;
  }
  return null;
}

/** The task of the turn that runs. The list is in order of activity, and that of the turn before may still be noted. */
async function lastTask(engine: TestEngine): Promise<string> {
  const { items } = (await engine.call("/tasks?limit=5")).body as {
    items: { readonly task_id: string; readonly created_at: string }[];
  };
  const [newest] = items.toSorted((one, other) => other.created_at.localeCompare(one.created_at));
  return newest?.task_id ?? "";
}

/** What the person answers to the open question of the last task. Null: nothing is open. */
async function nextOf(engine: TestEngine, turn: RandomTurn): Promise<Next | null> {
  const taskId = await lastTask(engine);
  const { body } = await engine.call("/hitl/pending");
  const open = body.requests.find((request: { task_id: string }) => request.task_id === taskId);
  if (open === undefined) return null;
  const reply = replyTo(turn, open.question);
  if (reply?.kind === "question") return { kind: "answer", text: reply.answer, isAllowed: true };
  if (reply?.kind !== "permission") return { kind: "cancel" };
  return { kind: "answer", text: reply.isAllowed ? "yes" : "no", isAllowed: reply.isAllowed };
}

async function cancelled(engine: TestEngine, text: string): Promise<Outcome> {
  const task_id = await lastTask(engine);
  await engine.call("/execute/cancel", { body: { task_id } });
  await until("the turn ends", async () => (await engine.call(`/tasks/${task_id}`)).body.state === "idle");
  return { text, state: "cancelled" };
}

/** What the page's tool returns. Null: it never answers. */
function lookResult(turn: RandomTurn, input: string): string | null {
  const reply = replyTo(turn, input);
  if (reply?.kind !== "client_tool") return null;
  return "output" in reply.result ? JSON.stringify(reply.result.output) : reply.result.error;
}

const { name, description, input_schema: parameters } = LOOK_TOOL;

/** The published client of chat completions. */
export function chatPeer(engine: TestEngine): Peer {
  const client = new OpenAI({ apiKey: engine.key, baseURL: `${engine.url}/v1`, maxRetries: 0 });
  return async (turn) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: turn.message }];
    const tools = turn.clientTools.map(
      () => ({ type: "function", function: { name, description, parameters } }) as const,
    );
    let text = "";
    for (;;) {
      const stream = client.chat.completions.stream({
        model: "default",
        messages,
        ...(tools.length > 0 && { tools: [...tools] }),
        stream_options: { include_usage: true },
      });
      let seen = "";
      stream.on("content", (_delta, snapshot) => {
        seen = snapshot;
        if (turn.cancelled === "while_silent" && missing(text + snapshot, turn.texts) === null) stream.abort();
      });
      const completion = await stream.finalChatCompletion().catch((error: unknown) => error as Error);
      text += `\n${seen}`;
      if (completion instanceof OpenAI.APIUserAbortError) return cancelled(engine, text);
      if (completion instanceof Error) {
        if (turn.error === null) throw completion;
        return { text, state: "failed" };
      }
      const [choice] = completion.choices;
      if (choice === undefined) throw new Error("no choice");
      messages.push(choice.message);
      const calls = choice.message.tool_calls ?? [];
      if (calls.length > 0 !== (choice.finish_reason === "tool_calls"))
        throw new Error(`finished by ${choice.finish_reason}`);
      for (const call of calls) {
        const content = call.type === "function" ? lookResult(turn, call.function.arguments) : null;
        if (content === null) return cancelled(engine, text);
        messages.push({ role: "tool", tool_call_id: call.id, content });
      }
      if (calls.length > 0) continue;
      const next = await nextOf(engine, turn);
      if (next === null) return { text, state: "completed" };
      if (next.kind === "cancel") return cancelled(engine, text);
      messages.push({ role: "user", content: next.text });
    }
  };
}

/** The published client of Responses. */
export function responsesPeer(engine: TestEngine): Peer {
  const client = new OpenAI({ apiKey: engine.key, baseURL: `${engine.url}/v1`, maxRetries: 0 });
  return async (turn) => {
    const tools = turn.clientTools.map(
      () => ({ type: "function", name, description, parameters, strict: false }) as const,
    );
    let input: ResponseInput = [{ role: "user", content: turn.message }];
    let previous = "";
    let text = "";
    let open = turn.replies.length;
    for (;;) {
      const stream = client.responses.stream({
        model: "default",
        input,
        tools: [...tools],
        ...(previous !== "" && { previous_response_id: previous }),
        reasoning: { summary: "auto" },
      });
      let [seen, number] = [text, -1];
      for await (const event of stream) {
        if (event.sequence_number <= number) throw new Error(`number ${event.sequence_number} after ${number}`);
        number = event.sequence_number;
        if (event.type === "response.created") previous = event.response.id;
        // A question may contain the words of the last text.
        if (event.type !== "response.output_text.done" || turn.cancelled !== "while_silent" || open > 0) continue;
        seen += event.text;
        if (missing(seen, turn.texts) === null) await client.responses.cancel(previous);
      }
      const final: Response = await stream.finalResponse();
      text += `\n${final.output_text}`;
      if (final.status === "cancelled") return { text, state: "cancelled" };
      if (final.status !== "completed") return { text, state: "failed" };
      input = [];
      for (const item of final.output) {
        if (item.type !== "function_call") continue;
        const output = lookResult(turn, item.arguments);
        if (output === null) return cancelled(engine, text);
        open--;
        input.push({ type: "function_call_output", call_id: item.call_id, output });
      }
      if (input.length > 0) continue;
      const next = await nextOf(engine, turn);
      if (next === null) return { text, state: "completed" };
      if (next.kind === "cancel") return cancelled(engine, text);
      open--;
      const approval = final.output.find((item) => item.type === "mcp_approval_request");
      input = approval
        ? [{ type: "mcp_approval_response", approval_request_id: approval.id, approve: next.isAllowed }]
        : [{ role: "user", content: next.text }];
    }
  };
}

type Model = Parameters<typeof streamText>[0]["model"];

/** The AI SDK, which runs the tools itself and sends the whole conversation. It has no way to cancel by an answer. */
function aiSdkPeer(engine: TestEngine, model: Model): Peer {
  return async (turn) => {
    const messages: ModelMessage[] = [{ role: "user", content: turn.message }];
    let text = "";
    for (;;) {
      const execute = (input: unknown) => lookResult(turn, JSON.stringify(input));
      const look = tool({ description, inputSchema: jsonSchema(parameters), execute });
      const result = streamText({
        model,
        messages,
        tools: turn.clientTools.length > 0 ? { look } : {},
        stopWhen: stepCountIs(30),
        maxRetries: 0,
        onError: () => undefined,
      });
      const failures: unknown[] = [];
      const approvals: string[] = [];
      for await (const part of result.stream) {
        if (part.type === "text-delta") text += part.text;
        if (part.type === "text-start") text += "\n";
        if (part.type === "error") failures.push(part.error);
        if (part.type === "tool-approval-request") approvals.push(part.approvalId);
      }
      if (failures.length > 0) {
        if (turn.error === null) throw failures[0];
        return { text, state: "failed" };
      }
      messages.push(...(await result.responseMessages));
      const next = await nextOf(engine, turn);
      if (next === null) return { text, state: "completed" };
      if (next.kind === "cancel") return cancelled(engine, text);
      const [approvalId] = approvals;
      messages.push(
        approvalId === undefined
          ? { role: "user", content: next.text }
          : {
              role: "tool",
              content: [
                { type: "tool-approval-response", approvalId, approved: next.isAllowed, providerExecuted: true },
              ],
            },
      );
    }
  };
}

export const aiSdkChatPeer = (engine: TestEngine): Peer =>
  aiSdkPeer(
    engine,
    createOpenAICompatible({ name: "orchd", baseURL: `${engine.url}/v1`, apiKey: engine.key }).chatModel("default"),
  );

export const aiSdkResponsesPeer = (engine: TestEngine): Peer =>
  aiSdkPeer(engine, createOpenAI({ baseURL: `${engine.url}/v1`, apiKey: engine.key }).responses("default"));
