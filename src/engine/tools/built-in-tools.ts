import { askHuman } from "./ask-human.ts";
import { runCommand } from "./command/run-command.ts";
import { editFile } from "./edit-file.ts";
import { listFiles } from "./list-files.ts";
import { memoryNote } from "./memory-note.ts";
import { memorySearch } from "./memory-search-tool.ts";
import { type PlanBook, planTool } from "./plan.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search/search-files.ts";
import type { Tool } from "./tool.ts";
import { fetchUrl } from "./web/fetch-url.ts";
import { writeFile } from "./write-file.ts";

export interface BuiltInParts {
  /** The engine's own; a command gets little of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly plans: PlanBook;
  readonly memory: Parameters<typeof memorySearch>[0];
}

/** What every engine's agent has. Their inputs are checked by their own schemas before they see them. */
export function builtInTools({ environment, plans, memory }: BuiltInParts): readonly Tool[] {
  return [
    askHuman,
    editFile,
    fetchUrl(),
    listFiles,
    memoryNote,
    memorySearch(memory),
    planTool(plans),
    readFile,
    runCommand(environment),
    searchFiles,
    writeFile,
  ];
}
