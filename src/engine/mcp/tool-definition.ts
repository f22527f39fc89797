import { createHash } from "node:crypto";
import type { ListedTool } from "./connection.ts";

/** What the model sees of a tool; pinned when first seen. */
export interface Definition {
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
}

export type DefinitionVerdict =
  | { readonly kind: "usable"; readonly definition: Definition; readonly hash: string }
  | { readonly kind: "unusable"; readonly reason: string };

const MAX_DESCRIPTION = 4000;
const MAX_DEFINITION = 64 * 1024;
export const MAX_DEPTH = 64;
export const MAX_TOOLS = 512;

/** Refuses definitions that would fill the model's context, and tools that need an MCP task, which is not supported. */
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

const unusable = (reason: string): DefinitionVerdict => ({ kind: "unusable", reason });

/** Independent of key order: a server may build its schemas at each start. */
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
