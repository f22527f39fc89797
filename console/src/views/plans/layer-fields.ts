import type { Plan, Policy } from "@orchd/client";
import { ENGINE_POLICY_FIELDS, type EnginePolicyField } from "../../../../src/contract/orchestrator/engine-policy.ts";
import { POLICY_FIELDS, type PolicyField } from "../../../../src/contract/orchestrator/policy-fields.ts";
import { NONE, formatCount } from "../../parts/format.ts";
import { type FieldInput, type FormField, POLICY_GROUPS, inputOf, readInput } from "../products/policy-fields.ts";

/** What a plan or an engine sets. */
export type Layer = Plan["policy"];
type Limits = Policy["budgets"]["engine"];

export const LIMITS = [
  ["tokens_per_day", "Tokens a day"],
  ["tokens_per_month", "Tokens a month"],
  ["cost_per_day", "Cost a day"],
  ["cost_per_month", "Cost a month"],
] as const satisfies readonly (readonly [keyof Limits, string])[];

/** The input of a budget, as the daemon names it in an error. */
export const limitInput = (limit: string): string => `budgets.engine.${limit}`;
export const WARN_INPUT = "budgets.warn_at";

/** Of a field that is set; of budgets, the inputs of its limits. */
export type Inputs = Readonly<Record<string, FieldInput>>;

const ROWS: Readonly<Record<EnginePolicyField, PolicyField>> = POLICY_FIELDS;
const FORM_FIELDS = new Map<string, FormField>(
  POLICY_GROUPS.flatMap(({ fields }) => fields).map((field) => [field.name, field]),
);

export const labelOf = (name: EnginePolicyField): string => ROWS[name].label;

/** Undefined for budgets, which have a form of their own. */
export const formField = (name: EnginePolicyField): FormField | undefined => FORM_FIELDS.get(name);

export const setFields = (layer: Layer): readonly EnginePolicyField[] =>
  ENGINE_POLICY_FIELDS.filter((name) => layer[name] !== undefined);

/** What the inputs of a field hold for a value. */
export function inputsOf(name: EnginePolicyField, layer: Layer): Inputs {
  const field = formField(name);
  if (field !== undefined) return { [name]: inputOf(field, layer[name] as Policy[EnginePolicyField]) };
  const { engine = {}, warn_at: warnAt } = layer.budgets ?? {};
  const limits: Limits = engine;
  return {
    ...Object.fromEntries(LIMITS.map(([limit]) => [limitInput(limit), String(limits[limit] ?? "")])),
    [WARN_INPUT]: warnAt === undefined ? "" : String(Math.round(warnAt * 100)),
  };
}

type Read = { readonly layer: Layer } | { readonly problems: Readonly<Record<string, string>> };

/** The layer of the inputs of some fields, or what is wrong with them. The daemon checks the rest. */
export function readLayer(names: readonly EnginePolicyField[], inputs: Inputs): Read {
  const problems: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  for (const name of names) {
    const field = formField(name);
    if (field === undefined) values[name] = readBudgets(inputs, problems);
    else {
      const read = readInput(field, inputs[name] ?? "");
      if ("problem" in read) problems[name] = read.problem;
      else values[name] = read.value;
    }
  }
  return Object.keys(problems).length > 0 ? { problems } : { layer: values };
}

function readBudgets(inputs: Inputs, problems: Record<string, string>): Layer["budgets"] {
  const numberOf = (input: string): number | undefined => {
    const text = String(inputs[input] ?? "").trim();
    if (text === "") return undefined;
    if (!/^\d+(\.\d+)?$/.test(text)) problems[input] = "expected a number of at least 0, or nothing";
    return Number(text);
  };
  const limits = LIMITS.flatMap(([limit]) => {
    const value = numberOf(limitInput(limit));
    return value === undefined ? [] : [[limit, value]];
  });
  const percent = numberOf(WARN_INPUT);
  return { engine: Object.fromEntries(limits), ...(percent !== undefined && { warn_at: percent / 100 }) };
}

/** A value in words: `2,048 MiB`, `no limit`, `5,000 tokens a day`. */
export function valueText(name: EnginePolicyField, value: Layer[EnginePolicyField]): string {
  const { unit, value: row } = ROWS[name];
  if (value === undefined) return NONE;
  switch (row.kind) {
    case "budgets":
      return budgetsText(value as NonNullable<Layer["budgets"]>);
    case "integer":
      return value === null ? "no limit" : `${formatCount(Number(value))}${unit === undefined ? "" : ` ${unit}`}`;
    case "switch":
    case "choice":
    case "choices":
    case "network":
    case "list":
    case "ports":
    case "models":
      if (value === null) return "all";
      if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(", ");
      return String(value);
    case "end_users":
    case "tool_hook":
      return value === null ? "none" : JSON.stringify(value);
    default:
      return row satisfies never;
  }
}

function budgetsText({ engine }: NonNullable<Layer["budgets"]>): string {
  const limits: Limits = engine;
  const texts = LIMITS.flatMap(([limit, label]) => {
    const value = limits[limit];
    return value === undefined ? [] : [`${label.toLowerCase()}: ${formatCount(value)}`];
  });
  return texts.length === 0 ? "no limit" : texts.join(", ");
}
