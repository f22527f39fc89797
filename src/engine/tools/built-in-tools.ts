import { askHuman } from "./ask-human.ts";
import { listFiles } from "./list-files.ts";
import { memoryNote } from "./memory-note.ts";
import { readFile } from "./read-file.ts";
import type { Tool } from "./tool.ts";
import { writeFile } from "./write-file.ts";

/** What every engine's agent has. Their inputs are checked by their own schemas before they see them. */
export const BUILT_IN_TOOLS: readonly Tool[] = [askHuman, listFiles, memoryNote, readFile, writeFile];
