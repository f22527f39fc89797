import type * as z from "zod/mini";

interface Bounds {
  readonly min: number | null;
  readonly max: number | null;
}

/**
 * What a number, a text or a list may be, both its bounds at once: the validator's own words name the one that was
 * broken, in signs. Null for other schemas.
 */
export function boundsInWords(schema: z.core.$ZodType | null, issue: z.core.$ZodIssue): string | null {
  const expected = schema === null ? boundsOfIssue(issue) : boundsOf(schema);
  if (expected === null) return null;
  const { kind, min, max } = expected;
  const range = inWords({ min, max });
  if (kind === "number" || kind === "integer") {
    const noun = kind === "integer" ? "an integer" : "a number";
    return range === null
      ? `expected ${noun}`
      : `expected ${noun} ${min !== null && max !== null ? "from" : "of"} ${range}`;
  }
  if (range === null || issue.code === "invalid_type") return null;
  return `expected ${range} ${kind}${range === "1" || range === "at least 1" ? "" : "s"}`;
}

/** The schema of the field at a path; null where more than one may be meant. */
export function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "optional" || def.type === "nullable") return schemaAt(def.innerType, path);
  const [key, ...rest] = path;
  if (key === undefined) return schema;
  const inner =
    def.type === "object"
      ? def.shape[String(key)]
      : def.type === "array"
        ? def.element
        : def.type === "record"
          ? def.valueType
          : undefined;
  return inner === undefined ? null : schemaAt(inner, rest);
}

type Expectation = Bounds & { readonly kind: "number" | "integer" | "character" | "item" };

function boundsOf(schema: z.core.$ZodType): Expectation | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type !== "number" && def.type !== "string" && def.type !== "array") return null;
  const isWhole = def.type === "number" && "format" in def && def.format === "safeint";
  const kind = { number: isWhole ? "integer" : "number", string: "character", array: "item" } as const;
  let bounds: Bounds = { min: null, max: null };
  for (const check of def.checks ?? []) bounds = { ...bounds, ...boundOf((check as z.core.$ZodChecks)._zod.def) };
  return { ...bounds, kind: kind[def.type] };
}

function boundOf(check: z.core.$ZodChecks["_zod"]["def"]): Partial<Bounds> {
  switch (check.check) {
    case "greater_than":
      return { min: Number(check.value) };
    case "less_than":
      return { max: Number(check.value) };
    case "min_length":
      return { min: check.minimum };
    case "max_length":
      return { max: check.maximum };
    case "length_equals":
      return { min: check.length, max: check.length };
    default:
      return {};
  }
}

const KIND_OF_ORIGIN: ReadonlyMap<string, Expectation["kind"]> = new Map([
  ["string", "character"],
  ["array", "item"],
  ["int", "integer"],
]);

function boundsOfIssue(issue: z.core.$ZodIssue): Expectation | null {
  if (issue.code !== "too_small" && issue.code !== "too_big") return null;
  const kind = KIND_OF_ORIGIN.get(issue.origin) ?? "number";
  return issue.code === "too_small"
    ? { kind, min: Number(issue.minimum), max: null }
    : { kind, min: null, max: Number(issue.maximum) };
}

function inWords({ min, max }: Bounds): string | null {
  if (min === null) return max === null ? null : `at most ${max}`;
  if (max === null) return `at least ${min}`;
  return min === max ? String(min) : `${min} to ${max}`;
}
