import { secretsIn } from "../secrets/secret-references.ts";
import { FACT_NAMES, isCallFact, isFact } from "../tools/call-facts.ts";
import { markCallFact } from "./call-headers.ts";

export type Variables = Readonly<Record<string, string>>;
/** Where a text of an entry stands. */
export type TextPlace = "env" | "headers" | "other";

/** `${VAR}`, `${VAR:-default}`, or `{{name}}`. Other braces, such as those of Go's templates, are text. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g;

/** A text with its values, and what is wrong with it. Null: it has a key that the user does not have. */
export function expandText(
  text: string,
  {
    known,
    factOf,
    place,
  }: {
    readonly known: Variables;
    readonly factOf: (name: string) => string | undefined;
    readonly place: TextPlace;
  },
): { readonly value: string | null; readonly found: readonly string[] } {
  const found: string[] = [];
  const [secret] = secretsIn([text]);
  if (secret !== undefined && place === "other")
    found.push(`\${secret:${secret}}: a secret is allowed in env and headers only`);
  // Marks of facts are made of it.
  const noNul = (value: string) => {
    if (place === "headers" && value.includes("\0")) found.push("expected no NUL character");
    return value;
  };
  noNul(text);
  let isMissing = false;
  const fact = (name: string, match: string): string => {
    const problem = factProblem(name, { place, hasSecret: secret !== undefined });
    if (problem !== null) found.push(problem);
    if (problem !== null || !isFact(name) || place === "other") return match;
    if (isCallFact(name)) return markCallFact(name);
    const value = factOf(name);
    if (value === undefined) isMissing = true;
    // Secrets are put in afterwards: a value of the user must not name one.
    if (value !== undefined && secretsIn([value]).length > 0) found.push(`{{${name}}}: its value names a secret`);
    return noNul(value ?? "");
  };
  const value = text.replaceAll(
    REFERENCE,
    (match, name: string | undefined, fallback: string | undefined, named: string | undefined) => {
      if (named !== undefined) return fact(named, match);
      const variable = name ?? "";
      const variableValue = Object.hasOwn(known, variable) ? known[variable] : fallback;
      if (variableValue === undefined) found.push(`\${${variable}} has no value here`);
      return noNul(variableValue ?? match);
    },
  );
  return { value: isMissing ? null : value, found };
}

function factProblem(
  name: string,
  { place, hasSecret }: { readonly place: TextPlace; readonly hasSecret: boolean },
): string | null {
  if (place === "other") return isFact(name) ? `{{${name}}} is allowed in headers and env only` : null;
  if (!isFact(name)) return `unknown placeholder {{${name}}}: expected ${FACT_NAMES}`;
  if (!isCallFact(name)) return null;
  if (place === "env") return `{{${name}}} differs between calls: it is allowed in headers only`;
  return hasSecret ? `expected no secret beside {{${name}}}` : null;
}
