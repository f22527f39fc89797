import { createHash } from "node:crypto";
import type { ListedTool } from "./connection.ts";

/** What a model is shown of a tool, and what it is held to once it was seen. */
export interface Definition {
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
}

export type DefinitionVerdict =
  | { readonly kind: "usable"; readonly definition: Definition; readonly hash: string }
  | { readonly kind: "unusable"; readonly why: string };

const MAX_DESCRIPTION = 4000;
const MAX_DEFINITION = 64 * 1024;
export const MAX_DEPTH = 64;
export const MAX_TOOLS = 512;

/**
 * Whether a listed tool can be shown to a model at all: a definition without bounds would fill its context, and a call
 * of a tool that needs an MCP task would always fail, because this client starts none.
 */
export function checkDefinition({ description, inputSchema, readOnly, needsTask }: ListedTool): DefinitionVerdict {
  if (needsTask) return unusable("it runs only as an MCP task, which is not supported");
  if (!isFlatterThan(MAX_DEPTH, inputSchema)) return unusable(`its schema is nested deeper than ${MAX_DEPTH} levels`);
  const full: Definition = { description, inputSchema, readOnly };
  const bytes = Buffer.byteLength(JSON.stringify(full));
  if (bytes > MAX_DEFINITION) return unusable(`its definition of ${bytes} bytes is longer than ${MAX_DEFINITION}`);
  const { $schema: _, ...shown } = inputSchema;
  const cut = description.length > MAX_DESCRIPTION ? `${description.slice(0, MAX_DESCRIPTION)}…` : description;
  const definition = { description: cut.toWellFormed(), inputSchema: shown, readOnly };
  return { kind: "usable", definition, hash: hashOf(full) };
}

const unusable = (why: string): DefinitionVerdict => ({ kind: "unusable", why });

/** The same whatever the order of keys: a server may build its schemas anew at each start. */
const hashOf = (definition: Definition): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(definition)))
    .digest("hex");

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}

export function isFlatterThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((inner) => isFlatterThan(levels - 1, inner));
}
