import type { Tool } from "./tool.ts";

/** Resources that a call changes and reads. A name covers the names below it, as a folder covers its files. */
export interface Claims {
  readonly changes: readonly string[];
  readonly reads: readonly string[];
}

export const claimsOf = (tool: Tool, input: Readonly<Record<string, unknown>>): Claims => ({
  changes: tool.resources(input),
  reads: tool.reads?.(input) ?? [],
});

/** Whether a call must wait for an earlier one of its step: one changes what the other reads or changes. */
export const mustWaitFor = (later: Claims, earlier: Claims): boolean =>
  overlap(earlier.changes, [...later.changes, ...later.reads]) || overlap(earlier.reads, later.changes);

function overlap(left: readonly string[], right: readonly string[]): boolean {
  return left.some((one) => right.some((other) => covers(one, other) || covers(other, one)));
}

const covers = (parent: string, name: string): boolean => name === parent || name.startsWith(`${parent}/`);
