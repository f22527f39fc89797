import { askHuman } from "./ask-human.ts";
import { type CommandHost, runCommand } from "./command/run-command.ts";
import { editFile } from "./edit-file.ts";
import { listFiles } from "./list-files.ts";
import { memoryNote } from "./memory-note.ts";
import { memorySearch } from "./memory-search-tool.ts";
import { type PlanBook, planTool } from "./plan.ts";
import { type Publisher, publishFile } from "./publish-file.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search/search-files.ts";
import type { Tool } from "./tool.ts";
import { fetchUrl } from "./web/fetch-url.ts";
import { writeFile } from "./write-file.ts";

export interface BuiltInParts {
  readonly commands: CommandHost;
  readonly plans: PlanBook;
  readonly publisher: Publisher;
  readonly memory: Parameters<typeof memorySearch>[0];
}

/** The tools of every engine. */
export function builtInTools({ commands, plans, publisher, memory }: BuiltInParts): readonly Tool[] {
  return [
    askHuman,
    editFile,
    fetchUrl(commands.outside),
    listFiles,
    memoryNote,
    memorySearch(memory),
    planTool(plans),
    publishFile(publisher),
    readFile,
    runCommand(commands),
    searchFiles,
    writeFile,
  ];
}
