import { setTimeout as sleep } from "node:timers/promises";
import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { whenAborted } from "../../shared/clock.ts";
import type { BlockType } from "../../contract/engine/events.ts";
import type {
  FinishReason,
  ModelMessage,
  ModelPart,
  ModelProvider,
  ModelRequest,
  ModelTool,
  ModelUsage,
  ToolOutcome,
} from "./model-provider.ts";
import {
  citedSources,
  demonstration,
  receivedContext,
  receivedFiles,
  sandboxLearning,
  sandboxTitle,
} from "./sandbox-answers.ts";
import { type SandboxCommand, readScript } from "./sandbox-script.ts";
import { isSummary, readCallsDone } from "./summary-message.ts";

const CHARACTERS_PER_TOKEN = 4;
/** Parts between two yields to the event loop. */
const PARTS_PER_YIELD = 64;
/** What the model writes at once of a call's arguments. */
const INPUT_PIECES = /[^]{1,16}/gu;

/**
 * A scripted model: no key, no network, deterministic. It derives its next step from the request alone: the commands of
 * the message after those whose tool results are already in the conversation.
 */
export const sandboxProvider: ModelProvider = {
  name: "sandbox",
  async *stream(request, signal) {
    try {
      yield* answer(request, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      yield { kind: "failed", failure: { kind: "aborted" }, usage: null };
    }
  },
};

async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
  const commands = commandsOf(request);
  let usage = estimate(request, commands);
  let reason: FinishReason = "stop";
  let parts = 0;
  const step = stepName(request.messages);
  for (const [index, given] of commands.entries()) {
    if (given.kind === "end") break;
    const command =
      given.kind === "attachments" || given.kind === "context" || given.kind === "cite"
        ? { kind: "say" as const, text: LISTS[given.kind](request.messages) }
        : given;
    if (command.kind === "usage") {
      usage = { inputTokens: command.input, outputTokens: command.output, cacheHitTokens: command.cached };
    } else if (command.kind === "slow") {
      await sleep(command.ms, undefined, { signal });
    } else if (command.kind === "fail") {
      yield* fail(command, signal);
      return;
    } else if (command.kind === "compact") {
      if (request.shortened || !request.messages.some(({ role }) => role === "assistant")) continue;
      yield* fail({ kind: "fail", how: "too-long", retryAfterS: null }, signal);
      return;
    } else {
      if (command.kind === "tool") reason = "tool_use";
      const pace = pacer(command);
      for (const part of block(command, `call_${step}_${index}`)) {
        const waitMs = part.kind === "text" ? pace() : 0;
        if (waitMs >= 1) await sleep(waitMs, undefined, { signal });
        yield part;
        if (++parts % PARTS_PER_YIELD === 0) await new Promise(setImmediate);
      }
    }
    signal.throwIfAborted();
  }
  yield { kind: "done", reason, usage };
}

/** Texts made of what the model has received. */
const LISTS = { attachments: receivedFiles, context: receivedContext, cite: citedSources } as const;

function commandsOf(request: ModelRequest): readonly SandboxCommand[] {
  if (request.purpose === "summary") return [{ kind: "say", text: sandboxSummary(request) }];
  if (request.purpose === "learning") return [{ kind: "say", text: sandboxLearning(request) }];
  if (request.purpose === "title") return [{ kind: "say", text: sandboxTitle(request) }];
  const { message, outcomes, callsDone, asked } = currentTurn(request.messages);
  const script = readScript(message);
  if (script === null) return demonstration(request, message, outcomes);
  return remaining(script.map(callable(request.tools)), { calls: callsDone + outcomes.length, ends: asked });
}

/** The user's last message and the tool results since. */
function currentTurn(messages: readonly ModelMessage[]): {
  message: string;
  outcomes: readonly ToolOutcome[];
  /** Calls whose results were compacted away. */
  callsDone: number;
  /** How often the engine has asked for the result. */
  asked: number;
} {
  const index = messages.findLastIndex((entry) => entry.role === "user" && entry.ofEngine !== true);
  const found = messages[index];
  const before = messages[index - 1];
  const callsDone = before?.role === "user" && isSummary(before.text) ? readCallsDone(before.text) : 0;
  const outcomes = messages.slice(index + 1).flatMap((entry) => (entry.role === "tool" ? entry.results : []));
  const asked = messages.slice(index + 1).filter(({ role }) => role === "user").length;
  return { message: found?.role === "user" ? found.text : "", outcomes, callsDone, asked };
}

/** Quotes the user's messages. */
function sandboxSummary({ messages }: ModelRequest): string {
  const text = messages.map((entry) => (entry.role === "user" ? entry.text : "")).join("\n");
  const quotes = [...text.matchAll(/^\[turn_[^\]]*\] USER: (.*)$/gm)].map(([, text = ""]) => `“${text.slice(0, 80)}”`);
  return `(By the sandbox model, which cannot summarise.) The user said ${quotes.join(", then ") || "nothing new"}.`;
}

/** Unique for each step of a conversation, and deterministic. */
const stepName = (messages: readonly ModelMessage[]): string => sha256(JSON.stringify(messages)).slice(0, 12);

/** Replaces a call of a tool that was not offered by a text. */
const callable =
  (tools: readonly ModelTool[]) =>
  (command: SandboxCommand): SandboxCommand => {
    if (command.kind !== "tool" || tools.some(({ name }) => name === command.tool)) return command;
    const names = tools.map(({ name }) => name).join(", ");
    return { kind: "say", text: `The sandbox model was offered no tool “${command.tool}”; it may call ${names}.` };
  };

/** The script after the calls and ends that it has made, up to its next end or the end of the next run of calls. */
function remaining(
  script: readonly SandboxCommand[],
  made: { readonly calls: number; readonly ends: number },
): readonly SandboxCommand[] {
  const from = Math.max(placeAfter(script, "tool", made.calls), placeAfter(script, "end", made.ends));
  const left = script.slice(from);
  const end = left.findIndex(({ kind }) => kind === "end");
  const rest = end === -1 ? left : left.slice(0, end);
  const first = rest.findIndex(({ kind }) => kind === "tool");
  if (first === -1) return rest;
  const after = rest.slice(first).findIndex(({ kind }) => kind !== "tool");
  return after === -1 ? rest : rest.slice(0, first + after);
}

/** The place after the first `count` commands of a kind; the end of a script that has fewer. */
function placeAfter(script: readonly SandboxCommand[], kind: SandboxCommand["kind"], count: number): number {
  const places = script.flatMap((command, index) => (command.kind === kind ? [index + 1] : []));
  return count === 0 ? 0 : (places[count - 1] ?? script.length);
}

type OutputCommand = Extract<SandboxCommand, { kind: "say" | "think" | "stream" | "tool" }>;

/** Synchronous: an async generator would dominate the cost of a fast stream. */
function* block(command: OutputCommand, id: string): Generator<ModelPart> {
  const type: BlockType = command.kind === "tool" ? "tool_use" : command.kind === "think" ? "thinking" : "text";
  yield { kind: "block_start", block: type };
  switch (command.kind) {
    case "say":
      for (const text of splitWords(command.text)) yield { kind: "text", text };
      break;
    case "think":
      for (const text of splitWords(command.text)) yield { kind: "thinking", text };
      break;
    case "stream":
      for (let index = 0; index < command.count; index++) yield { kind: "text", text: `word${index} ` };
      break;
    case "tool":
      for (const json of command.rawInput.match(INPUT_PIECES) ?? [])
        yield { kind: "tool_input", id, tool: command.tool, json };
      yield { kind: "tool_use", id, tool: command.tool, input: command.input, rawInput: command.rawInput };
      break;
    default:
      command satisfies never;
  }
  yield { kind: "block_stop", block: type };
}

/** Milliseconds until the next word is due, measured from the start so that delays do not accumulate. */
function pacer(command: OutputCommand): () => number {
  if (command.kind !== "stream" || command.perSecond === null) return () => 0;
  const msPerWord = 1000 / command.perSecond;
  let due = performance.now();
  return () => (due += msPerWord) - performance.now();
}

async function* fail(
  { how, retryAfterS }: Extract<SandboxCommand, { kind: "fail" }>,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  const message = "the sandbox model was told to fail";
  switch (how) {
    case "rate-limited":
      yield { kind: "failed", failure: { kind: "rate_limited", message, retryAfterS }, usage: null };
      break;
    case "provider":
      yield { kind: "failed", failure: { kind: "permanent", message, status: 500 }, usage: null };
      break;
    case "mid-stream":
      yield { kind: "block_start", block: "text" };
      yield { kind: "text", text: "This answer will not " };
      yield { kind: "failed", failure: { kind: "transient", message, status: null, retryAfterS: null }, usage: null };
      break;
    case "too-long":
      yield { kind: "failed", failure: { kind: "too_long", message }, usage: null };
      break;
    case "silent":
      await whenAborted(signal);
      signal.throwIfAborted();
      break;
    default:
      how satisfies never;
  }
}

const splitWords = (text: string): readonly string[] => text.match(/\S+\s*|\s+/g) ?? [];

/** Plausible token counts for clients. */
function estimate({ system, messages, tools }: ModelRequest, commands: readonly SandboxCommand[]): ModelUsage {
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / CHARACTERS_PER_TOKEN);
  const prefix = tokens([system, tools]);
  const before = messages.length > 1 ? prefix + tokens(messages.slice(0, -1)) : 0;
  return { inputTokens: prefix + tokens(messages), outputTokens: tokens(commands), cacheHitTokens: before };
}
