import type { Tool } from "./tool.ts";

/** Names of what a call changes and of what it looks at. A name covers those below it, as a folder covers its files. */
export interface Claims {
  readonly changes: readonly string[];
  readonly reads: readonly string[];
}

export const claimsOf = (tool: Tool, input: Readonly<Record<string, unknown>>): Claims => ({
  changes: tool.resources(input),
  reads: tool.reads?.(input) ?? [],
});

/** Whether a call has to wait for an earlier one of the same step: one of them changes what the other has to do with. */
export const mustWaitFor = (later: Claims, earlier: Claims): boolean =>
  overlap(earlier.changes, [...later.changes, ...later.reads]) || overlap(earlier.reads, later.changes);

function overlap(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => covers(one, other) || covers(other, one)));
}

const covers = (upper: string, name: string): boolean => name === upper || name.startsWith(`${upper}/`);
