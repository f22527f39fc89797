import * as z from "zod/mini";
import { type Tool, ToolFailed } from "../tool.ts";
import { toolInput } from "../tool-input.ts";
import { workspaceResource } from "../workspace-resource.ts";
import { PatternThread } from "./pattern-thread.ts";
import { searchTree } from "./search-tree.ts";

const DEFAULT_LIMIT = 100;
const TIMEOUT_MS = 60_000;
const INLINE_IGNORE_CASE = /^\(\?i\)/;

const input = z.object({
  pattern: z.string().check(z.minLength(1), z.maxLength(2000)),
  path: z.optional(z.string().check(z.describe("Folder or file to search; default: the workspace"))),
  glob: z.optional(
    z.string().check(z.minLength(1), z.maxLength(300), z.describe("Only matching files, such as *.ts or src/**/*.md")),
  ),
  ignore_case: z.optional(z.boolean()),
  context: z.optional(z.int().check(z.gte(0), z.lte(20), z.describe("Lines to show around each match"))),
  limit: z.optional(
    z.int().check(z.gte(1), z.lte(1000), z.describe(`Maximum number of matches; default: ${DEFAULT_LIMIT}`)),
  ),
});
type SearchInput = z.output<typeof input>;

export const searchFiles: Tool<SearchInput> = {
  name: "search_files",
  description:
    "Searches the text files of the workspace line by line for a JavaScript regular expression. Skips .git, node_modules and the like unless path names them.",
  input: toolInput(input),
  readOnly: true,
  permission: "allow",
  timeoutMs: () => TIMEOUT_MS,
  resources: () => [],
  reads: ({ path = "." }) => [workspaceResource(path)],
  path: ({ path = "." }) => path,
  async run(
    { path = ".", glob = null, context = 0, limit = DEFAULT_LIMIT, ...expression },
    { workspaceDir, realPath, signal },
  ) {
    const thread = new PatternThread(readPattern(expression), signal);
    try {
      const found = await searchTree(thread, { workspaceDir, path, realPath, glob, context, limit, signal });
      const { matches, files, skipped, cut } = found;
      return {
        matches,
        files_searched: files,
        ...(skipped > 0 && { files_skipped: `${skipped} that are not text, too large or not readable` }),
        ...(cut !== null && { truncated: cut }),
        found: found.lines.join("\n"),
      };
    } finally {
      await thread.close();
    }
  },
};

function readPattern({
  pattern,
  ignore_case: ignoreCase = false,
}: Pick<SearchInput, "pattern" | "ignore_case">): RegExp {
  try {
    // The syntax of other regex engines.
    const inline = INLINE_IGNORE_CASE.test(pattern);
    return new RegExp(pattern.replace(INLINE_IGNORE_CASE, ""), ignoreCase || inline ? "i" : "");
  } catch (error) {
    if (error instanceof SyntaxError) throw new ToolFailed(`pattern: ${error.message}`);
    throw error;
  }
}
