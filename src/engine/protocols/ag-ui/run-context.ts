import type { ContextItem } from "../../../contract/engine/turn-context.ts";
import { asText, isRecord } from "../../../shared/json-values.ts";
import type { RunInput } from "./run-input.ts";

const MAX_NAME = 64;
/** The part of the state that the engine writes. */
export const OWN_STATE = "orchd";

/**
 * What the model should know with the message: the run's context, the application's state, and instructions of the
 * application. The engine has a system prompt of its own.
 */
export function contextOf({ context = [], messages, state }: RunInput): readonly ContextItem[] {
  const instructions = messages.filter(({ role }) => role === "system" || role === "developer");
  const items = [
    ...instructions.map(({ content }) => itemOf("instructions", asText(content))),
    ...context.map(({ description, value }) => itemOf(description, value)),
    ...stateOf(state),
  ];
  const names = new Set<string>();
  return items.map(({ name, content }) => {
    const own = freeName(name, names);
    names.add(own);
    return { name: own, content, ttl: "turn" };
  });
}

type Item = Pick<ContextItem, "name" | "content">;

/** A description that is too long for a name stays in the content. */
function itemOf(description: string, content: string): Item {
  if (description === "") return { name: "context", content };
  if (description.length <= MAX_NAME) return { name: description, content };
  return { name: description.slice(0, MAX_NAME).toWellFormed(), content: `${description}\n${content}` };
}

function stateOf(state: unknown): readonly Item[] {
  const own = isRecord(state) ? Object.fromEntries(Object.entries(state).filter(([key]) => key !== OWN_STATE)) : state;
  const isEmpty = own === undefined || own === null || (isRecord(own) && Object.keys(own).length === 0);
  return isEmpty ? [] : [{ name: "state", content: asText(own) }];
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const suffix = ` ${number}`;
    const other = name.slice(0, MAX_NAME - suffix.length).toWellFormed() + suffix;
    if (!taken.has(other)) return other;
  }
}
