import type { KnowledgeType } from "./knowledge-limits.ts";

/** What the daemon has the program `engine/knowledge-reading` do. `confine`: whether Landlock confines it. */
export type KnowledgeOrder =
  /** Reads the document on standard input. Answers `DocumentReading`. */
  | { readonly kind: "read"; readonly confine: boolean; readonly type: KnowledgeType; readonly path: string }
  /**
   * Writes the file `target` with the documents on standard input, each as a line of JSON after the list of paths to keep
   * of the file `base`.
   */
  | { readonly kind: "build"; readonly confine: boolean; readonly base: string | null; readonly target: string }
  /** Searches a file. Answers `KnowledgeFound`. */
  | {
      readonly kind: "search";
      readonly confine: boolean;
      readonly file: string;
      readonly query: string;
      readonly limit: number;
    };
