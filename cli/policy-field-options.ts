import { Option } from "commander";
import { plainText } from "../src/contract/meaning.ts";
import { POLICY_FIELDS, type PolicyField, type PolicyFieldName } from "../src/contract/orchestrator/policy-fields.ts";
import {
  NO_LIMIT,
  duration,
  hosts,
  interval,
  limit,
  namesOrAny,
  names,
  namesOrNone,
  ports,
  wholeNumber,
} from "./option-values.ts";

/** The options that set one field of a policy. */
interface FieldOptions {
  readonly field: PolicyFieldName;
  readonly options: readonly Option[];
  /** The value of the field from the options given, by their attributes. Undefined when none of them was. */
  readonly read: (given: Readonly<Record<string, unknown>>) => unknown;
}

/** The options that follow from the rows of the fields. */
export const fieldOptions = (): readonly FieldOptions[] =>
  Object.entries<PolicyField>(POLICY_FIELDS).flatMap(([name, row]) => {
    const field = name as PolicyFieldName;
    if (row.option === undefined) return [];
    if (typeof row.option === "object") return [switchOptions(field, row.meaning, row.option)];
    const option = new Option(row.option, helpOf(row)).argParser(readerOf(row));
    const read: FieldOptions["read"] = ({ [option.attributeName()]: value }) => (value === NO_LIMIT ? null : value);
    return [{ field, options: [option], read }];
  });

function switchOptions(
  field: PolicyFieldName,
  meaning: string,
  { on, off }: { readonly on: string; readonly off: string },
): FieldOptions {
  const set = new Option(on, phrase(meaning));
  const unset = new Option(off, `undo ${on}`);
  const [name, other] = [set.attributeName(), unset.attributeName()];
  // `--no-x` is the value false of `--x`.
  if (name !== other) unset.conflicts(name);
  const read: FieldOptions["read"] = (given) => given[name] ?? (given[other] === true ? false : undefined);
  return { field, options: [set, unset], read };
}

/** How the text of an option becomes a value. The daemon checks bounds and names. */
function readerOf({ value, unit }: PolicyField): (text: string) => unknown {
  switch (value.kind) {
    case "integer":
      if (value.isNullable) return limit;
      if (unit !== "s") return wholeNumber;
      return value.min > 0 ? interval : duration;
    case "choices":
      return names;
    case "network":
      return hosts;
    case "ports":
      return ports;
    case "list":
    case "models":
      return value.isNullable ? namesOrAny : namesOrNone;
    case "choice":
      return (text) => text;
    case "switch":
    case "budgets":
    case "end_users":
    case "tool_hook":
      throw new Error(`a field of the kind ${value.kind} has options of its own`);
    default:
      return value satisfies never;
  }
}

function helpOf({ value, meaning }: PolicyField): string {
  const help = phrase(meaning);
  switch (value.kind) {
    case "integer":
      if (value.isNullable) return `${help}; none is no limit`;
      return value.max === undefined ? help : `${help}; ${value.min} to ${value.max}`;
    case "choices":
      return `${help}, separated by commas: ${value.values.join(",")}`;
    case "network":
      return `${help}, separated by commas`;
    case "ports":
      return `${help}, separated by commas, or none`;
    case "list":
    case "models":
      return `${help}; separated by commas, or ${value.isNullable ? "any" : "none"}`;
    case "choice":
    case "switch":
    case "budgets":
    case "end_users":
    case "tool_hook":
      return help;
    default:
      return value satisfies never;
  }
}

/** Like the help of other options: one phrase, without a capital letter and a full stop. */
const phrase = (meaning: string): string =>
  plainText(meaning)
    .replaceAll(/\.(?: ([A-Z0-9])|$)/g, (_, next?: string) => (next === undefined ? "" : `; ${next.toLowerCase()}`))
    .replace(/^[A-Z](?=[a-z'])/, (first) => first.toLowerCase());
