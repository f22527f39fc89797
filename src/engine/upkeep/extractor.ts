import { setImmediate as nextTurn } from "node:timers/promises";
import type { Round } from "../memory/rounds-to-learn.ts";
import type { ModelFailure } from "../model/model-provider.ts";
import type { Extraction } from "./extraction.ts";
import { extractByRules } from "./rules/extract-by-rules.ts";

export type ExtractedChunk =
  /** By turn; a turn that is not there is to be read another time. */
  | { readonly kind: "extracted"; readonly extractions: ReadonlyMap<string, Extraction> }
  /** Not now: limited, cut off, told to stop. */
  | { readonly kind: "stopped"; readonly failure: ModelFailure };

/** Finds what is worth knowing in some rounds. It stores nothing and believes nothing. */
export type Extractor = (rounds: readonly Round[], signal: AbortSignal) => Promise<ExtractedChunk>;

/** Turns go on between one round and the next. */
export const ruleExtractor: Extractor = async (rounds, signal) => {
  const extractions = new Map<string, Extraction>();
  for (const round of rounds) {
    if (signal.aborted) return { kind: "stopped", failure: { kind: "aborted" } };
    extractions.set(round.trajectory.turnId, extractByRules(round));
    await nextTurn();
  }
  return { kind: "extracted", extractions };
};
