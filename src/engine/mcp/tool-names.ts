import { sha256 } from "../../contract/api-keys.ts";

const MAX_LENGTH = 64;
const HASH_LENGTH = 8;

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
