import type { ToolNetwork } from "../isolation/network/tool-network.ts";
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
  /** The engine's environment, of which commands inherit a small part. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly network: ToolNetwork;
  readonly plans: PlanBook;
  readonly memory: Parameters<typeof memorySearch>[0];
}

/** The tools of every engine. */
export function builtInTools({ environment, network, plans, memory }: BuiltInParts): readonly Tool[] {
  return [
    askHuman,
    editFile,
    fetchUrl(network.rules),
    listFiles,
    memoryNote,
    memorySearch(memory),
    planTool(plans),
    readFile,
    runCommand(environment, network),
    searchFiles,
    writeFile,
  ];
}
