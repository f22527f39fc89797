import type { Policy } from "@orchd/client";
import { plainText } from "../../../../src/contract/meaning.ts";
import {
  POLICY_FIELDS,
  POLICY_SECTIONS,
  type PolicyField,
  type PolicyFieldName,
} from "../../../../src/contract/orchestrator/policy-fields.ts";
import type { PolicyValue } from "../../../../src/contract/orchestrator/policy-value.ts";

/** What a field of the form holds while it is edited. */
export type FieldInput = string | boolean | readonly string[];

export interface FormField {
  readonly name: PolicyFieldName;
  readonly label: string;
  readonly hint: string;
  readonly unit: string | undefined;
  readonly value: FormValue;
}

interface Group {
  readonly title: string;
  readonly fields: readonly FormField[];
}

/** Budgets have a view of their own. The identity provider is set by `orchctl`. */
type FormValue = Exclude<PolicyValue, { readonly kind: "budgets" | "end_users" }>;
const isInForm = (value: PolicyValue): value is FormValue => value.kind !== "budgets" && value.kind !== "end_users";

/** The form of a policy. */
export const POLICY_GROUPS: readonly Group[] = Object.entries(POLICY_SECTIONS)
  .map(([section, title]) => ({
    title,
    fields: Object.entries<PolicyField>(POLICY_FIELDS)
      .filter(([, row]) => row.section === section)
      .flatMap(([name, row]) => {
        const { label, unit, value } = row;
        return isInForm(value) ? [{ name: name as PolicyFieldName, label, unit, value, hint: hintOf(value, row) }] : [];
      }),
  }))
  .filter(({ fields }) => fields.length > 0);

function hintOf(value: FormValue, { meaning, takesEffect }: PolicyField): string {
  const notes = [plainText(meaning), inputNote(value), takesEffect === "next start" ? "From the next start." : ""];
  return notes.filter((note) => note !== "").join(" ");
}

function inputNote(value: FormValue): string {
  switch (value.kind) {
    case "integer":
      if (value.isNullable) return "Empty is no limit.";
      return value.max === undefined ? "" : `${value.min} to ${value.max}.`;
    case "network":
      return "One a line.";
    case "ports":
      return `${value.min} to ${value.max}, separated by commas.`;
    case "list":
    case "models":
      return value.isNullable ? "One a line. Empty is all, none is no other." : "One a line.";
    case "tool_hook":
      return "JSON with url and tools, and if need be timeout_ms and on_error. Empty is none.";
    case "switch":
    case "choice":
    case "choices":
      return "";
    default:
      return value satisfies never;
  }
}

export function inputOf(
  { value: { kind, ...bounds } }: FormField,
  value: Policy[PolicyFieldName] | undefined,
): FieldInput {
  const listed = Array.isArray(value) ? value.map(String) : null;
  switch (kind) {
    case "switch":
      return value === true;
    case "choices":
      return listed ?? [];
    case "tool_hook":
      return value === null || value === undefined ? "" : JSON.stringify(value, null, 2);
    case "ports":
      return listed?.join(", ") ?? "";
    case "list":
    case "models":
      if (listed?.length === 0) return "isNullable" in bounds ? "none" : "";
      return listed?.join("\n") ?? "";
    case "network":
      return listed?.join("\n") ?? String(value ?? "");
    case "integer":
    case "choice":
      return String(value ?? "");
    default:
      return kind satisfies never;
  }
}

type Read = { readonly value: Policy[PolicyFieldName] } | { readonly problem: string };

/** The value of an input, or what was expected. The daemon checks hosts and ports itself. */
export function readInput({ value }: FormField, input: FieldInput): Read {
  const text = String(input).trim();
  switch (value.kind) {
    case "switch":
    case "choices":
      return { value: input as Policy[PolicyFieldName] };
    case "choice":
      return { value: text as Policy[PolicyFieldName] };
    case "integer":
      return readNumber(value, text);
    case "network":
      return { value: text === "open" || text === "none" ? text : text.split(/[\s,]+/).filter((host) => host !== "") };
    case "list":
    case "models":
      if (value.isNullable && text === "") return { value: null };
      return { value: text === "none" ? [] : text.split(/[\s,]+/).filter((model) => model !== "") };
    case "ports":
      return {
        value: text
          .split(/[\s,]+/)
          .filter((port) => port !== "")
          .map(Number),
      };
    case "tool_hook":
      return readObject(text);
    default:
      return value satisfies never;
  }
}

function readObject(text: string): Read {
  if (text === "") return { value: null };
  try {
    return { value: JSON.parse(text) as Policy[PolicyFieldName] };
  } catch {
    return { problem: "expected JSON, or nothing" };
  }
}

function readNumber({ min, max, isNullable }: Extract<PolicyValue, { kind: "integer" }>, text: string): Read {
  if (text === "" && isNullable === true) return { value: null };
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return { value };
  return {
    problem: `expected a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}${isNullable === true ? " or nothing" : ""}`,
  };
}
