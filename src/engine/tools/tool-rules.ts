import { matchesTool } from "../../contract/engine/tool-pattern.ts";
import { argumentForms, matchesGlob } from "./argument-forms.ts";

export type RulePermission = "allow" | "ask" | "deny";

/** A rule of the catalog's `settings.yaml`. Of an ordered list the first one that matches a call decides. */
export interface ToolRule {
  /** A tool name, or a prefix that ends in `*`. */
  readonly tool: string;
  /** All of them must match. */
  readonly input: readonly ArgumentPattern[];
  readonly permission: RulePermission;
  /** For the model. */
  readonly reason: string | null;
  /** File and line of the rule. */
  readonly place: { readonly path: string; readonly line: number };
}

interface ArgumentPattern {
  /** The names from the input to the argument; `*` is each entry of a list or an object. */
  readonly path: readonly string[];
  /** Text in which `*` stands for any characters. */
  readonly pattern: string;
}

export interface JudgedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The real path of the argument `path`, for tools on files. */
  readonly realPath?: string | undefined;
}

/** A longer list is not judged entry by entry. */
const MAX_VALUES = 10_000;

/** The first rule that matches the call; null if none does. */
export const decidingRule = (rules: readonly ToolRule[], call: JudgedCall): ToolRule | null =>
  rules.find((rule) => matchesTool(rule.tool, call.tool) && rule.input.every((one) => matches(one, rule, call))) ??
  null;

/**
 * Rules fail closed. One that denies or asks matches if any written form of any value does, or if a value is a list or
 * an object, which has no text. One that allows matches only if every form of every value does.
 */
function matches({ path, pattern }: ArgumentPattern, { permission }: ToolRule, call: JudgedCall): boolean {
  const { values, hasOpaque } = valuesAt(call.input, path);
  const restricts = permission !== "allow";
  const texts = values.map(String);
  if (call.realPath !== undefined && path.length === 1 && path[0] === "path") {
    if (!restricts) return !hasOpaque && matchesGlob(pattern, call.realPath);
    texts.push(call.realPath);
  }
  if (hasOpaque) return restricts;
  if (restricts) return texts.some((text) => argumentForms(text).some((form) => matchesGlob(pattern, form)));
  // Text that is the same as the pattern means the same, whatever its other forms.
  const permits = (text: string) =>
    pattern.includes("*") ? argumentForms(text).every((form) => matchesGlob(pattern, form)) : text === pattern;
  return texts.length > 0 && texts.every(permits);
}

type Scalar = string | number | boolean;

/** The values at a path. `hasOpaque`: something is there that cannot be compared with a text. */
function valuesAt(
  input: unknown,
  path: readonly string[],
): { readonly values: readonly Scalar[]; readonly hasOpaque: boolean } {
  let found: unknown[] = [input];
  let hasOpaque = false;
  for (const name of path) {
    const next: unknown[] = [];
    for (const value of found) {
      if (value === null || value === undefined) continue;
      if (typeof value !== "object") hasOpaque = true;
      else if (name === "*") for (const entry of Object.values(value)) next.push(entry);
      // A list where the rule expects an object: its entries are not looked into.
      else if (Array.isArray(value) && !/^\d+$/.test(name)) hasOpaque = true;
      else if (Object.hasOwn(value, name)) next.push((value as Record<string, unknown>)[name]);
    }
    if (next.length > MAX_VALUES) return { values: [], hasOpaque: true };
    found = next;
  }
  const present = found.filter((value) => value !== null && value !== undefined);
  const values = present.filter((value) => typeof value !== "object") as Scalar[];
  return { values, hasOpaque: hasOpaque || values.length < present.length };
}
