import type * as z from "zod/mini";
import { safeParse } from "zod/mini";
import type { Logger } from "../../shared/logger.ts";
import { describeIssue } from "../../shared/parse.ts";
import type { ModelFailure, ModelMessage, ModelProvider } from "../model/model-provider.ts";

/** The models of learning batches. */
export interface LearningModel {
  readonly provider: ModelProvider;
  /** In order of preference: the next one is used when a model rejects such calls. */
  readonly models: readonly string[];
  readonly logger: Logger;
}

/** A question of a learning batch that a JSON object answers. */
export interface LearningQuestion<Value> {
  /** Names it in the log. */
  readonly about: "facts" | "profile";
  readonly system: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
  readonly read: (answer: string) => ReadJson<Value>;
}

export type ReadJson<Value> =
  | { readonly kind: "read"; readonly value: Value }
  | { readonly kind: "unreadable"; readonly reason: string };

export type LearningAnswer<Value> =
  | { readonly kind: "answered"; readonly value: Value }
  /** A temporary failure: rate limit, budget, connection, abort. */
  | Stopped
  /** The question or the answer does not fit. */
  | { readonly kind: "too_long"; readonly reason: string }
  | { readonly kind: "unreadable"; readonly reason: string }
  /** Every model rejects such calls permanently. */
  | { readonly kind: "unusable"; readonly reason: string };

export interface Stopped {
  readonly kind: "stopped";
  readonly failure: ModelFailure;
}

/** Asks a model in the background, below the priority of turns. A malformed answer is requested once more. */
export async function askModel<Value>(
  parts: LearningModel,
  question: LearningQuestion<Value>,
  signal: AbortSignal,
): Promise<LearningAnswer<Value>> {
  let last: LearningAnswer<Value> = { kind: "unusable", reason: "no model is configured" };
  for (const model of parts.models) {
    last = await askWithRepair(parts, { ...question, model }, signal);
    if (last.kind === "answered" || last.kind === "stopped") return last;
    parts.logger.warn({ about: question.about, model, reason: last.reason }, "failed to learn with a model");
    if (last.kind !== "unusable") return last;
  }
  return last;
}

async function askWithRepair<Value>(
  { provider }: LearningModel,
  question: LearningQuestion<Value> & { readonly model: string },
  signal: AbortSignal,
): Promise<LearningAnswer<Value>> {
  const messages: ModelMessage[] = [{ role: "user", text: question.prompt }];
  for (let repaired = false; ; repaired = true) {
    const reply = await ask(provider, { ...question, messages }, signal);
    if (reply.kind !== "reply") return reply;
    const read = question.read(reply.text);
    if (read.kind === "read") return { kind: "answered", value: read.value };
    if (reply.isTruncated) return { kind: "too_long", reason: "the answer was cut off" };
    if (repaired || reply.text.trim() === "") return read;
    messages.push(
      { role: "assistant", content: [{ kind: "text", text: reply.text }] },
      { role: "user", text: `Invalid answer (${read.reason}). Answer with the JSON object alone.` },
    );
  }
}

type ModelReply = { readonly kind: "reply"; readonly text: string; readonly isTruncated: boolean };

async function ask(
  provider: ModelProvider,
  {
    model,
    system,
    messages,
    maxOutputTokens,
  }: Pick<LearningQuestion<unknown>, "system" | "maxOutputTokens"> & {
    readonly model: string;
    readonly messages: readonly ModelMessage[];
  },
  signal: AbortSignal,
): Promise<ModelReply | Exclude<LearningAnswer<never>, { kind: "answered" }>> {
  let text = "";
  let isTruncated = false;
  const request = {
    model,
    system,
    messages,
    tools: [],
    thinking: false,
    maxOutputTokens,
    purpose: "learning",
    priority: "background",
  } as const;
  for await (const part of provider.stream(request, signal)) {
    if (part.kind === "text") text += part.text;
    if (part.kind === "restart") text = "";
    if (part.kind === "done") isTruncated = part.reason === "length";
    if (part.kind === "failed") return failed(part.failure);
  }
  return { kind: "reply", text, isTruncated };
}

function failed(failure: ModelFailure): Exclude<LearningAnswer<never>, { kind: "answered" }> {
  if (failure.kind === "permanent") return { kind: "unusable", reason: failure.message };
  if (failure.kind === "too_long") return { kind: "too_long", reason: failure.message };
  return { kind: "stopped", failure };
}

/** The JSON object in a model's answer, which may have words around it. */
export function readJson<Schema extends z.ZodMiniType>(text: string, schema: Schema): ReadJson<z.output<Schema>> {
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (from === -1 || to < from) return { kind: "unreadable", reason: "no JSON object" };
  let value: unknown;
  try {
    value = JSON.parse(text.slice(from, to + 1));
  } catch {
    // The error quotes the text, and the reason is logged.
    return { kind: "unreadable", reason: "no valid JSON" };
  }
  const result = safeParse(schema, value, { error: describeIssue });
  if (result.success) return { kind: "read", value: result.data };
  const [issue] = result.error.issues;
  return { kind: "unreadable", reason: `${issue?.path.join(".")}: ${issue?.message}` };
}
