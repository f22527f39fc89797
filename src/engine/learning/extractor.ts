import type { Round } from "../memory/rounds-to-learn.ts";
import type { ModelFailure } from "../model/model-provider.ts";
import { type Extraction, NOTHING } from "./extraction.ts";

export type ExtractedChunk =
  /** By turn; a turn that is not there is to be read another time. */
  | { readonly kind: "extracted"; readonly extractions: ReadonlyMap<string, Extraction> }
  /** Not now: limited, cut off, told to stop. */
  | { readonly kind: "stopped"; readonly failure: ModelFailure };

/** Finds what is worth knowing in some rounds. It stores nothing and believes nothing. */
export type Extractor = (rounds: readonly Round[], signal: AbortSignal) => Promise<ExtractedChunk>;

/** Without a usable model, rounds are stored and no facts are learned. */
export const nothingExtracted = (rounds: readonly Round[]): ExtractedChunk => ({
  kind: "extracted",
  extractions: new Map(rounds.map(({ trajectory }) => [trajectory.turnId, NOTHING])),
});
