import { BadEntry } from "./catalog-entry.ts";
import { FACT_NAMES, isFact } from "../tools/call-facts.ts";
import { placeholdersIn } from "./fill-in.ts";
import { secretsIn } from "../secrets/secret-references.ts";
import type { ToolAction } from "./tool-action.ts";

/** Throws {@link BadEntry} with every placeholder of an action that has no value, and every secret in a wrong place. */
export function requireKnownPlaceholders(
  action: ToolAction,
  {
    parameters: { properties = {} },
    secrets,
    file,
  }: {
    readonly parameters: Readonly<Record<string, unknown>>;
    /** Their names. */
    readonly secrets: readonly string[];
    /** The text of the tool's file, for the lines. */
    readonly file: string;
  },
): void {
  const parameters = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  const given = new Set(parameters);
  const named = new Set(secrets.map((name) => `secret:${name}`));
  // Program arguments are visible to all users of the host, and URLs appear in error messages: no place for secrets.
  const [visible, hidden, place] =
    action.kind === "command"
      ? [[action.command.argv], [action.command.env], "env"]
      : [[action.http.url], [action.http.query, action.http.headers, action.http.body], "query, headers and body"];
  const inPlain = new Set(placeholdersIn(visible));
  const used = [...new Set([...inPlain, ...placeholdersIn(hidden)])];
  const unknown = used
    .filter((name) => !given.has(name) && !isFact(name) && !named.has(name))
    .map((name) => [
      name,
      `unknown placeholder {{${name}}}: expected ${FACT_NAMES}, or a name in parameters.properties or secrets`,
    ]);
  const misplaced = [...inPlain]
    .filter((name) => named.has(name))
    .map((name) => [name, `{{${name}}}: a secret is allowed in ${place} only`]);
  const ambiguous = used
    .filter((name) => isFact(name) && parameters.includes(name))
    .map((name) => [name, `{{${name}}} is what the engine knows: expected another name for the parameter`]);
  const vault = secretsIn(
    textsIn(action.kind === "command" ? action.command.argv : [action.http.url, action.http.body]),
  ).map((name) => [
    name,
    `\${secret:${name}}: a secret of the vault is allowed in ${action.kind === "command" ? "env" : "query and headers"} only`,
  ]);
  const faults = [...unknown, ...misplaced, ...ambiguous, ...vault].map(([name = "", message = ""]) => ({
    message,
    line: lineWith(file, name),
  }));
  if (faults.length > 0) throw new BadEntry(faults);
}

function textsIn(template: unknown): readonly string[] {
  if (typeof template === "string") return [template];
  return typeof template === "object" && template !== null ? Object.values(template).flatMap(textsIn) : [];
}

/** The first line with the placeholder; null where the file escapes its characters. */
function lineWith(file: string, name: string): number | null {
  const at = file.split("\n").findIndex((line) => (line.includes("{{") || line.includes("${")) && line.includes(name));
  return at === -1 ? null : at + 1;
}
