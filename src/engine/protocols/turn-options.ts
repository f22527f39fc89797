import type { ExecuteRequest } from "../../contract/engine/requests.ts";

/** Fields of `POST /execute` that a client of a protocol may add to its message. */
const OPTIONS = [
  "agent",
  "model",
  "effort",
  "thinking",
  "max_steps",
  "metadata",
  "when_busy",
  "interrupt",
  "output_schema",
] as const satisfies readonly (keyof ExecuteRequest)[];

type Option = (typeof OPTIONS)[number];
export type TurnOptions<More extends keyof ExecuteRequest = never> = { readonly [Name in Option | More]?: unknown };

/** Those of the fields that are given, and of `more`. The engine checks their values. */
export function turnOptions<More extends keyof ExecuteRequest = never>(
  given: Readonly<Record<string, unknown>>,
  more: readonly More[] = [],
): TurnOptions<More> {
  const named = [...OPTIONS, ...more].filter((name) => given[name] !== undefined && given[name] !== null);
  return Object.fromEntries(named.map((name) => [name, given[name]])) as TurnOptions<More>;
}
