import { resolve } from "node:path";

/** The folder of related words that orchd brings. */
export const WORD_VECTORS = resolve(import.meta.dirname, "../../data/word-vectors/en");
