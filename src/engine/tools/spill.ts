import { MAX_JSON_LEVELS, isFlatterThan } from "../../shared/json-levels.ts";
import { type ToolContext, ToolFailed } from "./tool.ts";
import { writeInWorkspace } from "./workspace-files.ts";

const MAX_OUTPUT = 50_000;
const SHOWN_END = 10_000;
/** Relative to the workspace. */
export const OUTPUTS_FOLDER = ".orch/outputs";

/**
 * Spills output above 50,000 characters to a file of the workspace; the model sees head, tail and path. If one string
 * makes an object long, only that string is spilled. Without room the file is left out.
 */
export async function spillLongOutput(
  output: unknown,
  context: ToolContext,
  { hasRoom = true }: { readonly hasRoom?: boolean } = {},
): Promise<unknown> {
  if (!isFlatterThan(MAX_JSON_LEVELS, output))
    throw new ToolFailed(`the result is nested deeper than ${MAX_JSON_LEVELS} levels`);
  const text = typeof output === "string" ? output : JSON.stringify(output);
  if (text.length <= MAX_OUTPUT) return output;
  const [name, longest] = longestText(output);
  if (text.length - longest.length > MAX_OUTPUT) return spill(text, context, hasRoom);
  return { ...(output as Readonly<Record<string, unknown>>), [name]: await spill(longest, context, hasRoom) };
}

async function spill(text: string, { workspaceDir, toolCallId }: ToolContext, hasRoom: boolean): Promise<string> {
  const path = `${OUTPUTS_FOLDER}/${toolCallId.replaceAll(/[^\w-]/g, "_").slice(-100)}.txt`;
  if (hasRoom) await writeInWorkspace({ workspaceDir, path }, text);
  const left = text.length - 2 * SHOWN_END;
  const ends = [text.slice(0, SHOWN_END), text.slice(-SHOWN_END)].map((end) => end.toWellFormed());
  const place = hasRoom ? `full text in ${path}` : "not kept: the disk quota is used up";
  return ends.join(`\n… [${left} more characters, ${place}] …\n`);
}

/** Empty for anything but an object with string values. */
function longestText(output: unknown): readonly [name: string, text: string] {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return ["", ""];
  const texts = Object.entries(output).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return texts.toSorted(([, left], [, right]) => right.length - left.length)[0] ?? ["", ""];
}
