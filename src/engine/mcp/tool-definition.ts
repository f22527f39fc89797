import { sha256 } from "../../contract/orchestrator/api-keys.ts";
import { MAX_JSON_LEVELS, isFlatterThan, sortedKeys } from "../../shared/json-values.ts";
import type { ListedTool } from "./connection.ts";

/** What the model sees of a tool; pinned when first seen. */
export interface Definition {
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
}

export interface PinnedDefinition {
  readonly hash: string;
  readonly definition: Definition;
}

/** Definition of each tool when first seen or last allowed; persistent. */
export interface PinnedDefinitions {
  /** By the server's name of the tool. */
  ofServer(server: string): ReadonlyMap<string, PinnedDefinition>;
  pin(server: string, tools: ReadonlyMap<string, PinnedDefinition>): void;
}

type DefinitionVerdict =
  | { readonly kind: "usable"; readonly definition: Definition; readonly hash: string }
  | { readonly kind: "unusable"; readonly reason: string };

const MAX_DESCRIPTION = 4000;
const MAX_DEFINITION = 64 * 1024;
export const MAX_TOOLS = 512;

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

/** Refuses definitions that would fill the model's context, and tools that need an MCP task, which is not supported. */
export function checkDefinition({ description, inputSchema, readOnly, needsTask }: ListedTool): DefinitionVerdict {
  if (needsTask) return unusable("it runs only as an MCP task, which is not supported");
  if (!isFlatterThan(MAX_JSON_LEVELS, inputSchema))
    return unusable(`its schema is nested deeper than ${MAX_JSON_LEVELS} levels`);
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
const hashOf = (definition: Definition): string => sha256(JSON.stringify(sortedKeys(definition)));

/**
 * The model's name of a server's tool: `mcp__<server>__<tool>`, in the characters and length that every provider
 * accepts. A changed or ambiguous name carries a hash of the pair, so names are unique and independent of other tools.
 */
export function toolName(server: string, tool: string): string {
  const plain = `mcp__${server}__${tool}`;
  const fits = /^[A-Za-z0-9_-]+$/.test(plain) && plain.length <= MAX_LENGTH && tool !== "";
  const unambiguous = /^[^_]+(?:_[^_]+)*$/.test(server) && !looksHashed(tool);
  if (fits && unambiguous) return plain;
  const hash = sha256(JSON.stringify([server, tool])).slice(0, HASH_LENGTH);
  const kept = plain.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, MAX_LENGTH - HASH_LENGTH - 1);
  return `${kept}_${hash}`;
}

const looksHashed = (tool: string): boolean => /_[0-9a-f]{8}$/.test(tool);
