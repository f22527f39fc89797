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
  readonly value: PolicyValue;
}

interface Group {
  readonly title: string;
  readonly fields: readonly FormField[];
}

/** Budgets have a view of their own. The identity provider is set by `orchctl`. */
const ELSEWHERE: readonly PolicyValue["kind"][] = ["budgets", "end_users"];

/** The form of a policy. */
export const POLICY_GROUPS: readonly Group[] = Object.entries(POLICY_SECTIONS)
  .map(([section, title]) => ({
    title,
    fields: Object.entries<PolicyField>(POLICY_FIELDS)
      .filter(([, row]) => row.section === section && !ELSEWHERE.includes(row.value.kind))
      .map(([name, { label, unit, value, ...row }]) => ({
        name: name as PolicyFieldName,
        label,
        unit,
        value,
        hint: hintOf({ value, ...row }),
      })),
  }))
  .filter(({ fields }) => fields.length > 0);

function hintOf({ value, meaning, takesEffect }: Pick<PolicyField, "value" | "meaning" | "takesEffect">): string {
  const notes = [plainText(meaning), inputNote(value), takesEffect === "next start" ? "From the next start." : ""];
  return notes.filter((note) => note !== "").join(" ");
}

function inputNote(value: PolicyValue): string {
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
    default:
      return "";
  }
}

export function inputOf(field: FormField, value: Policy[PolicyFieldName] | undefined): FieldInput {
  if (typeof value === "boolean") return value;
  if (field.value.kind === "tool_hook") return value === null ? "" : JSON.stringify(value, null, 2);
  if (field.value.kind === "choices") return Array.isArray(value) ? value.map(String) : [];
  if (Array.isArray(value) && value.length === 0)
    return (field.value.kind === "models" || field.value.kind === "list") && field.value.isNullable ? "none" : "";
  if (Array.isArray(value)) return value.join(field.value.kind === "ports" ? ", " : "\n");
  return value === null || value === undefined ? "" : String(value);
}

type Read = { readonly value: Policy[PolicyFieldName] } | { readonly problem: string };

/** The value of an input, or what was expected. The daemon checks hosts and ports itself. */
export function readInput({ value }: FormField, input: FieldInput): Read {
  if (typeof input === "boolean" || typeof input === "object") return { value: input as Policy[PolicyFieldName] };
  const text = input.trim();
  switch (value.kind) {
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
      return { value: text as Policy[PolicyFieldName] };
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
