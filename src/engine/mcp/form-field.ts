import { isRecord } from "../../shared/json-values.ts";

export type FieldValue = string | number | boolean | string[];

/** One field of an elicitation form. */
export interface Field {
  readonly name: string;
  readonly kind: "text" | "number" | "integer" | "boolean" | "list";
  readonly required: boolean;
  /** Title, name and constraints, for the person who answers. */
  readonly label: string;
  /** The permitted answers; empty where any text is permitted. */
  readonly options: readonly string[];
  /** Value of each choice, by its title. */
  readonly choices: ReadonlyMap<string, string>;
  readonly limits: {
    readonly min: number | undefined;
    readonly max: number | undefined;
  };
}

type ReadField =
  | { readonly kind: "value"; readonly value: FieldValue }
  | { readonly kind: "invalid"; readonly problem: string };

type Schema = Readonly<Record<string, unknown>>;

/** The fields of a form's schema, in its order. A field of an unknown type is read as text. */
export function readFields(schema: Schema): readonly Field[] {
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"].map(String) : []);
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).map(([name, value]) =>
    fieldOf(name, isRecord(value) ? value : {}, required.has(name)),
  );
}

/** Parses a person's answer. */
export function readField({ kind, choices, limits }: Field, answer: string): ReadField {
  switch (kind) {
    case "boolean":
      return { kind: "value", value: answer === "true" };
    case "text": {
      const value = choices.get(answer) ?? answer;
      return choices.size > 0
        ? { kind: "value", value }
        : bounded(value, value.length, { limits, unit: " characters" });
    }
    case "number":
    case "integer": {
      const value = answer.trim() === "" ? NaN : Number(answer);
      if (!Number.isFinite(value) || (kind === "integer" && !Number.isInteger(value)))
        return invalid(kind === "integer" ? "expected a whole number" : "expected a number");
      return bounded(value, value, { limits, unit: "" });
    }
    case "list": {
      const parts = answer
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
      const unknown = parts.find((part) => choices.size > 0 && !choices.has(part));
      if (unknown !== undefined) return invalid(`${unknown} is not one of the choices`);
      return bounded(
        parts.map((part) => choices.get(part) ?? part),
        parts.length,
        { limits, unit: " choices" },
      );
    }
    default:
      return kind satisfies never;
  }
}

const invalid = (problem: string): ReadField => ({ kind: "invalid", problem });

function bounded(
  value: FieldValue,
  measure: number,
  { limits: { min, max }, unit }: { readonly limits: Field["limits"]; readonly unit: string },
): ReadField {
  if (min !== undefined && measure < min) return invalid(`expected at least ${min}${unit}`);
  if (max !== undefined && measure > max) return invalid(`expected at most ${max}${unit}`);
  return { kind: "value", value };
}

function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const items = isRecord(schema["items"]) ? schema["items"] : {};
  const kind = kindOf(schema);
  const choices = choicesOf(kind === "list" ? items : schema);
  const [low, high] = BOUNDS[kind];
  const limits = { min: numberOr(schema[low]), max: numberOr(schema[high]) };
  const options = kind === "boolean" ? ["true", "false"] : kind === "list" ? [] : [...choices.keys()];
  const title = typeof schema["title"] === "string" ? `${schema["title"]} (${name})` : name;
  const details = [
    schema["description"],
    required ? "" : "optional",
    kind === "list" ? `comma-separated list${choices.size > 0 ? `, of: ${[...choices.keys()].join(", ")}` : ""}` : kind,
    schema["format"],
    schema["default"] !== undefined && `default ${JSON.stringify(schema["default"])}`,
  ].filter(Boolean);
  return { name, kind, required, label: `${title}: ${details.join("; ")}`, options, choices, limits };
}

const BOUNDS = {
  text: ["minLength", "maxLength"],
  number: ["minimum", "maximum"],
  integer: ["minimum", "maximum"],
  list: ["minItems", "maxItems"],
  boolean: ["", ""],
} as const;

function kindOf({ type }: Schema): Field["kind"] {
  if (type === "number" || type === "integer" || type === "boolean") return type;
  return type === "array" ? "list" : "text";
}

/** Choices by title: `enum` with or without `enumNames`, or `oneOf`/`anyOf` of titled constants. */
function choicesOf(schema: Schema): ReadonlyMap<string, string> {
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values))
    return new Map(
      values.map((value, at) => [String(Array.isArray(names) ? (names[at] ?? value) : value), String(value)]),
    );
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (!Array.isArray(titled)) return new Map();
  return new Map(titled.filter(isRecord).map((one) => [String(one["title"] ?? one["const"]), String(one["const"])]));
}

const numberOr = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
