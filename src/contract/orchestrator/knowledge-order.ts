import * as z from "zod/mini";
import type { RecordOf } from "../record.ts";
import type { KnowledgeType } from "./knowledge-limits.ts";

/** The vectors in a file of knowledge. */
export const countedVectors = z.object({
  /** Null before the first vector. */
  model: z.nullable(z.string()),
  /** Passages that have a vector. */
  embedded: z.int(),
  /** Passages that wait for one. */
  waiting: z.int(),
});
export type CountedVectors = RecordOf<typeof countedVectors>;

export const embeddedPassages = z.object({
  ...countedVectors.shape,
  /** How many were made now, with those that the endpoint refuses. */
  made: z.int(),
  /** Why the last call failed. */
  error: z.nullable(z.string()),
  retry_after_ms: z.nullable(z.number()),
});
export type EmbeddedPassages = RecordOf<typeof embeddedPassages>;

/** Where passages become vectors. It has a key, so it is sent on standard input. */
export const knowledgeEndpoint = z.object({
  url: z.string(),
  model: z.string(),
  apiKey: z.optional(z.string()),
});
export type KnowledgeEndpoint = RecordOf<typeof knowledgeEndpoint>;

/** What a program needs to call it: the port, and a file of further certificates. */
export interface EndpointReach {
  readonly port: number;
  readonly extraCaCerts: string | null;
}

/** What the daemon has the program `engine/knowledge-reading` do. `confine`: whether Landlock confines it. */
export type KnowledgeOrder =
  /** Reads the document on standard input. Answers `DocumentReading`. */
  | { readonly kind: "read"; readonly confine: boolean; readonly type: KnowledgeType; readonly path: string }
  /**
   * Writes the file `target` with the documents on standard input, each as a line of JSON after the list of paths to keep
   * of the file `base`. Answers `CountedVectors`.
   */
  | { readonly kind: "build"; readonly confine: boolean; readonly base: string | null; readonly target: string }
  /**
   * Writes the file `target` with the vectors that the file `base` has, and those of further passages for so long.
   * `KnowledgeEndpoint` is on standard input. Answers `EmbeddedPassages`.
   */
  | {
      readonly kind: "embed";
      readonly confine: boolean;
      readonly base: string;
      readonly target: string;
      readonly forMs: number;
      readonly reach: EndpointReach;
    }
  /** Searches a file, with the vector of the query where an endpoint is on standard input. Answers `KnowledgeFound`. */
  | {
      readonly kind: "search";
      readonly confine: boolean;
      readonly file: string;
      readonly query: string;
      readonly limit: number;
      readonly reach: EndpointReach | null;
    };
