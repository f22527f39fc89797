import { matchesTool, toolPattern } from "../../contract/engine/tool-pattern.ts";
import * as z from "zod/mini";
import type { ToolRule } from "../tools/tool-rules.ts";
import { BadEntry, type EntryProblem } from "./catalog-entry.ts";
import { parseYaml } from "./yaml-fields.ts";

export const SETTINGS_FILE = "settings.yaml";
const MAX_RULES = 200;
const MAX_ARGUMENTS = 8;
const MAX_NAMES = 8;

const argumentPath = z
  .string()
  .check(
    z.regex(
      /^(?:\*|[\w$-]{1,64})(?:\.(?:\*|[\w$-]{1,64}))*$/,
      "expected names of arguments with dots between them, such as options.url or files.*.path",
    ),
  );

const rule = z.strictObject({
  tool: toolPattern,
  input: z.optional(z.record(argumentPath, z.string().check(z.minLength(1), z.maxLength(256)))),
  permission: z.enum(["allow", "ask", "deny"]),
  reason: z.optional(z.string().check(z.minLength(1), z.maxLength(300))),
});

/** Strict: a misspelled field must not be ignored. */
const settings = z.strictObject({
  catalog: z.optional(z.strictObject({ shipped: z.optional(z.enum(["all", "none"])) })),
  tool_rules: z.optional(z.array(rule).check(z.maxLength(MAX_RULES))),
});

export interface SettingsReading {
  /** Whether the shipped agents and skills are there, but the default agent. Null when the file does not say. */
  readonly shipped: "all" | "none" | null;
  readonly rules: readonly ToolRule[];
  readonly warnings: readonly EntryProblem[];
}

/** Reads `settings.yaml`. `path` names the file in rules and warnings. Rejects with {@link BadEntry}. */
export async function parseSettings(path: string, text: string): Promise<SettingsReading> {
  const yaml = await parseYaml(text);
  const { catalog, tool_rules: given = [] } = yaml.read(settings).value;
  const rules = given.map((one, at): ToolRule => {
    const line = yaml.lineOf(["tool_rules", String(at)]);
    const patterns = Object.entries(one.input ?? {}).map(([name, pattern]) => ({
      path: name.split("."),
      pattern: pattern.normalize("NFC"),
    }));
    const field = `tool_rules.${at}.input`;
    if (patterns.length > MAX_ARGUMENTS) throw new BadEntry(`${field}: expected at most ${MAX_ARGUMENTS}`, line);
    if (patterns.some(({ path: names }) => names.length > MAX_NAMES))
      throw new BadEntry(`${field}: expected at most ${MAX_NAMES} names of a path`, line);
    const { tool, permission, reason = null } = one;
    return { tool, input: patterns, permission, reason, place: { path, line } };
  });
  const warnings = rules.filter(allowsMoreCommands).map(({ place }) => ({ ...place, message: MORE_COMMANDS }));
  return { shipped: catalog?.shipped ?? null, rules, warnings };
}

const MORE_COMMANDS = "allow: * in a command also allows other commands, after ; or && for example";

const allowsMoreCommands = ({ tool, permission, input }: ToolRule): boolean =>
  permission === "allow" &&
  matchesTool(tool, "run_command") &&
  input.some(({ path, pattern }) => path[0] === "command" && pattern.includes("*"));

/** In place of the rules of an invalid file: what it would have denied is not known. */
export const denyAll = (path: string): ToolRule => ({
  tool: "*",
  input: [],
  permission: "deny",
  reason: `the file ${path} of the catalog is invalid`,
  place: { path, line: 1 },
});
