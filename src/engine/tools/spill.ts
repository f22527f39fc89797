import { MAX_JSON_LEVELS, isFlatterThan } from "../../shared/json-levels.ts";
import { type ToolContext, ToolFailed } from "./tool.ts";
import { writeInWorkspace } from "./workspace-files.ts";

const MAX_OUTPUT = 50_000;
const SHOWN_OF_LONG = 10_000;
/** In the workspace. */
export const OUTPUTS_FOLDER = ".orch/outputs";

/**
 * Long output goes to a file of the workspace; the model sees both ends and where the rest is. Where one text makes an
 * object long, it alone is put away and the rest of the object stays as it is.
 */
export async function shortened(output: unknown, context: ToolContext): Promise<unknown> {
  if (!isFlatterThan(MAX_JSON_LEVELS, output))
    throw new ToolFailed(`the result is nested deeper than ${MAX_JSON_LEVELS} levels`);
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (text.length <= MAX_OUTPUT) return output;
  const [name, longest] = longestText(output);
  if (text.length - longest.length > MAX_OUTPUT) return putAway(text, context);
  return { ...(output as Readonly<Record<string, unknown>>), [name]: await putAway(longest, context) };
}

async function putAway(text: string, { workspaceDir, toolCallId }: ToolContext): Promise<string> {
  const path = `${OUTPUTS_FOLDER}/${toolCallId.replaceAll(/[^\w-]/g, "_").slice(-100)}.txt`;
  await writeInWorkspace({ workspaceDir, path }, text);
  const left = text.length - 2 * SHOWN_OF_LONG;
  const ends = [text.slice(0, SHOWN_OF_LONG), text.slice(-SHOWN_OF_LONG)].map((end) => end.toWellFormed());
  return ends.join(`\n… [${left} characters more, all of it in ${path}] …\n`);
}

/** Empty for what has no texts of its own: a text, a list, a number. */
function longestText(output: unknown): readonly [name: string, text: string] {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return ["", ""];
  const texts = Object.entries(output).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.toSorted(([, left], [, right]) => right.length - left.length)[0] ?? ["", ""];
}
