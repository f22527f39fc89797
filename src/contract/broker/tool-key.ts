import { openJson, sealJson } from "./sealed-json.ts";

/** A start of an engine: what the broker knows of a caller of tool servers. */
export interface ToolCaller {
  readonly engine: string;
  readonly incarnation: string;
}

const PREFIX = "orchtool_";
const MAX_LENGTH = 1024;

/** The key with which an engine calls tool servers through the broker. It is for this start of this engine alone. */
export const sealToolKey = (sealingKey: Uint8Array, { engine, incarnation }: ToolCaller): string =>
  sealJson(sealingKey, PREFIX, { engine, incarnation });

/** Null for a key that was not sealed with this sealing key, or was altered. */
export const openToolKey = (sealingKey: Uint8Array, key: string): ToolCaller | null =>
  key.length > MAX_LENGTH ? null : (openJson(sealingKey, PREFIX, key) as ToolCaller | null);
