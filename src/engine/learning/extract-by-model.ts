import type { Logger } from "../../shared/logger.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import type { ModelFailure, ModelMessage, ModelProvider } from "../model/model-provider.ts";
import { type ExtractedChunk, type Extractor, nothingExtracted } from "./extraction.ts";
import { LEARNING_SYSTEM, learningPrompt } from "./learning-prompt.ts";
import { readAnswer } from "./parse-extraction.ts";

const ANSWER_TOKENS = 8000;

export interface ModelExtraction {
  readonly provider: ModelProvider;
  /** In order of preference: the next one is used when a model rejects such calls. */
  readonly models: readonly string[];
  readonly logger: Logger;
}

/**
 * Extracts facts from rounds with a model. A malformed answer is requested once more. After that, or when no model is
 * usable, the rounds yield no facts. After a temporary failure the rounds stay unlearned for the next batch.
 */
export function extractByModel(parts: ModelExtraction): Extractor {
  const extract: Extractor = async (rounds, signal) => {
    const withEpisode = rounds.filter(({ episode }) => episode !== null);
    if (withEpisode.length === 0) return nothingExtracted(rounds);
    for (const model of parts.models) {
      const outcome = await askWithRepair(parts, { model, rounds: withEpisode, signal });
      if (outcome.kind === "too_long" && withEpisode.length > 1) return extractHalves(extract, rounds, signal);
      if (outcome.kind === "extracted" || outcome.kind === "stopped") return outcome;
      parts.logger.warn({ model, reason: outcome.reason }, "failed to extract facts with a model");
      if (outcome.kind !== "unusable") break;
    }
    return nothingExtracted(rounds);
  };
  return extract;
}

type Outcome =
  | ExtractedChunk
  /** The model rejects such calls permanently. */
  | { readonly kind: "unusable"; readonly reason: string }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "too_long"; readonly reason: string };

async function askWithRepair(
  parts: ModelExtraction,
  {
    model,
    rounds,
    signal,
  }: { readonly model: string; readonly rounds: readonly Round[]; readonly signal: AbortSignal },
): Promise<Outcome> {
  const messages: ModelMessage[] = [{ role: "user", text: learningPrompt(rounds) }];
  for (let repaired = false; ; repaired = true) {
    const reply = await ask(parts, { model, messages, signal });
    if (reply.kind !== "reply") return reply;
    const read = readAnswer(reply.text, rounds);
    if (read.kind === "read") return { kind: "extracted", extractions: read.extractions };
    if (reply.isTruncated) return { kind: "too_long", reason: "the answer was cut off" };
    if (repaired || reply.text.trim() === "") return read;
    messages.push(
      { role: "assistant", content: [{ kind: "text", text: reply.text }] },
      { role: "user", text: `That could not be read (${read.reason}). Answer with the JSON object alone.` },
    );
  }
}

type ModelReply = { readonly kind: "reply"; readonly text: string; readonly isTruncated: boolean };

async function ask(
  { provider }: ModelExtraction,
  {
    model,
    messages,
    signal,
  }: { readonly model: string; readonly messages: readonly ModelMessage[]; readonly signal: AbortSignal },
): Promise<ModelReply | Exclude<Outcome, { kind: "extracted" }>> {
  let text = "";
  let isTruncated = false;
  const request = {
    model,
    system: LEARNING_SYSTEM,
    messages,
    tools: [],
    thinking: false,
    maxOutputTokens: ANSWER_TOKENS,
    purpose: "learning",
    priority: "background",
  } as const;
  for await (const part of provider.stream(request, signal)) {
    if (part.kind === "text") text += part.text;
    if (part.kind === "done") isTruncated = part.reason === "length";
    if (part.kind === "failed") return failed(part.failure);
  }
  return { kind: "reply", text, isTruncated };
}

function failed(failure: ModelFailure): Exclude<Outcome, { kind: "extracted" }> {
  if (failure.kind === "permanent") return { kind: "unusable", reason: failure.message };
  if (failure.kind === "too_long") return { kind: "too_long", reason: failure.message };
  return { kind: "stopped", failure };
}

async function extractHalves(
  extract: Extractor,
  rounds: readonly Round[],
  signal: AbortSignal,
): Promise<ExtractedChunk> {
  const middle = Math.ceil(rounds.length / 2);
  const first = await extract(rounds.slice(0, middle), signal);
  if (first.kind === "stopped") return first;
  const second = await extract(rounds.slice(middle), signal);
  // Keep the first half; the rounds of the second stay for the next batch.
  if (second.kind === "stopped") return first;
  return { kind: "extracted", extractions: new Map([...first.extractions, ...second.extractions]) };
}
