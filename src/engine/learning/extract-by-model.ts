import type { Logger } from "../../shared/logger.ts";
import type { Round } from "../memory/rounds-to-learn.ts";
import type { ModelFailure, ModelMessage, ModelProvider } from "../model/model-provider.ts";
import { type ExtractedChunk, type Extractor, nothingExtracted } from "./extractor.ts";
import { LEARNING_SYSTEM, learningPrompt } from "./model-prompt.ts";
import { readAnswer } from "./parse-extraction.ts";

const ANSWER_TOKENS = 8000;

export interface ModelExtraction {
  readonly provider: ModelProvider;
  /** To be asked in order: the next one where the one before cannot be asked at all. */
  readonly models: readonly string[];
  readonly logger: Logger;
}

/**
 * Has a model say what is in the rounds. A malformed answer is requested once more. After that, or when no model is
 * usable, the rounds yield no facts. After a temporary failure the rounds stay unlearned for the next batch.
 */
export function extractByModel(parts: ModelExtraction): Extractor {
  const extract: Extractor = async (rounds, signal) => {
    const told = rounds.filter(({ episode }) => episode !== null);
    if (told.length === 0) return nothingExtracted(rounds);
    for (const model of parts.models) {
      const outcome = await askTwice(parts, { model, rounds: told, signal });
      if (outcome.kind === "too_long" && told.length > 1) return inHalves(extract, rounds, signal);
      if (outcome.kind === "extracted" || outcome.kind === "stopped") return outcome;
      parts.logger.warn({ model, why: outcome.why }, "a model could not be used for learning");
      if (outcome.kind !== "unusable") break;
    }
    return nothingExtracted(rounds);
  };
  return extract;
}

type Outcome =
  | ExtractedChunk
  /** This model never answers such calls. */
  | { readonly kind: "unusable"; readonly why: string }
  | { readonly kind: "unreadable"; readonly why: string }
  | { readonly kind: "too_long"; readonly why: string };

async function askTwice(
  parts: ModelExtraction,
  {
    model,
    rounds,
    signal,
  }: { readonly model: string; readonly rounds: readonly Round[]; readonly signal: AbortSignal },
): Promise<Outcome> {
  const messages: ModelMessage[] = [{ role: "user", text: learningPrompt(rounds) }];
  for (let repaired = false; ; repaired = true) {
    const said = await ask(parts, { model, messages, signal });
    if (said.kind !== "said") return said;
    const read = readAnswer(said.text, rounds);
    if (read.kind === "read") return { kind: "extracted", extractions: read.extractions };
    if (said.cut) return { kind: "too_long", why: "the answer was cut off" };
    if (repaired || said.text.trim() === "") return read;
    messages.push(
      { role: "assistant", content: [{ kind: "text", text: said.text }] },
      { role: "user", text: `That could not be read (${read.why}). Answer with the JSON object alone.` },
    );
  }
}

type Said = { readonly kind: "said"; readonly text: string; readonly cut: boolean };

async function ask(
  { provider }: ModelExtraction,
  {
    model,
    messages,
    signal,
  }: { readonly model: string; readonly messages: readonly ModelMessage[]; readonly signal: AbortSignal },
): Promise<Said | Exclude<Outcome, { kind: "extracted" }>> {
  let text = "";
  let cut = false;
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
    if (part.kind === "done") cut = part.reason === "length";
    if (part.kind === "failed") return failed(part.failure);
  }
  return { kind: "said", text, cut };
}

function failed(failure: ModelFailure): Exclude<Outcome, { kind: "extracted" }> {
  if (failure.kind === "permanent") return { kind: "unusable", why: failure.message };
  if (failure.kind === "too_long") return { kind: "too_long", why: failure.message };
  return { kind: "stopped", failure };
}

async function inHalves(extract: Extractor, rounds: readonly Round[], signal: AbortSignal): Promise<ExtractedChunk> {
  const middle = Math.ceil(rounds.length / 2);
  const first = await extract(rounds.slice(0, middle), signal);
  if (first.kind === "stopped") return first;
  const second = await extract(rounds.slice(middle), signal);
  // What the first half gave is worth as much without the second.
  if (second.kind === "stopped") return first;
  return { kind: "extracted", extractions: new Map([...first.extractions, ...second.extractions]) };
}
