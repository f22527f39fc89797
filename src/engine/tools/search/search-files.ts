import * as z from "zod/mini";
import { type Tool, ToolFailed } from "../tool.ts";
import { toolInput } from "../tool-input.ts";
import { workspaceResource } from "../workspace-resource.ts";
import { PatternThread } from "./pattern-thread.ts";
import { searchTree } from "./search-tree.ts";

const DEFAULT_LIMIT = 100;
const TIMEOUT_MS = 60_000;
const INLINE_IGNORE_CASE = /^\(\?i\)/;

interface Wish extends Readonly<Record<string, unknown>> {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignore_case?: boolean;
  readonly context?: number;
  readonly limit?: number;
}

export const searchFiles: Tool<Wish> = {
  name: "search_files",
  description:
    "Searches the text files of the workspace, line by line, for a regular expression (of JavaScript). Leaves out .git, node_modules and the like unless path leads into them.",
  input: toolInput(
    z.object({
      pattern: z.string().check(z.minLength(1), z.maxLength(2000)),
      path: z.optional(z.string().check(z.describe("Folder or file to search; the workspace when left out"))),
      glob: z.optional(
        z.string().check(z.minLength(1), z.maxLength(300), z.describe("Only files that fit, as *.ts or src/**/*.md")),
      ),
      ignore_case: z.optional(z.boolean()),
      context: z.optional(z.int().check(z.gte(0), z.lte(20), z.describe("Lines to show around each match"))),
      limit: z.optional(
        z.int().check(z.gte(1), z.lte(1000), z.describe(`Most matches to give; ${DEFAULT_LIMIT} when left out`)),
      ),
    }),
  ),
  readOnly: true,
  permission: "allow",
  timeoutMs: () => TIMEOUT_MS,
  resources: () => [],
  reads: ({ path = "." }) => [workspaceResource(path)],
  path: ({ path = "." }) => path,
  async run({ path = ".", glob = null, context = 0, limit = DEFAULT_LIMIT, ...wish }, { workspaceDir, place, signal }) {
    const thread = new PatternThread(readPattern(wish), signal);
    try {
      const found = await searchTree(thread, { workspaceDir, path, place, glob, context, limit, signal });
      const { matches, files, skipped, cut } = found;
      return {
        matches,
        files_searched: files,
        ...(skipped > 0 && { files_skipped: `${skipped} that are no text, too large or not readable` }),
        ...(cut !== null && { truncated: cut }),
        found: found.lines.join("\n"),
      };
    } finally {
      await thread.close();
    }
  },
};

function readPattern({ pattern, ignore_case: ignoreCase = false }: Pick<Wish, "pattern" | "ignore_case">): RegExp {
  try {
    // Many write it so, from other engines.
    const inline = INLINE_IGNORE_CASE.test(pattern);
    return new RegExp(pattern.replace(INLINE_IGNORE_CASE, ""), ignoreCase || inline ? "i" : "");
  } catch (error) {
    if (error instanceof SyntaxError) throw new ToolFailed(`pattern: ${error.message}`);
    throw error;
  }
}
