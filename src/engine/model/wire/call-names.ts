import { sha256 } from "../../../contract/orchestrator/api-keys.ts";
import type { CallIdRule } from "./wire-rules.ts";

/** Tool names that every provider accepts. */
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const HASH_LENGTH = 8;

/** Tool name on the wire: a model may have called any name, and providers refuse some of them in a history. */
export function wireToolName(name: string): string {
  // Provider packages look names up in plain objects, which inherit from Object.prototype.
  const isValid = TOOL_NAME.test(name) && !(name in Object.prototype);
  return isValid ? name : hashedName(name, { fallback: "tool", maxLength: 64 });
}

/** `name` in letters, digits and underscores, with a hash that keeps names distinct. */
export function hashedName(
  name: string,
  { fallback, maxLength }: { readonly fallback: string; readonly maxLength: number },
): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_]+/g, "_").replace(/^[^A-Za-z]+/, "");
  return `${(plain || fallback).slice(0, maxLength - HASH_LENGTH - 1)}_${sha256(name).slice(0, HASH_LENGTH)}`;
}

/** Call ids on the wire: in the provider's format, unique, and deterministic for one history. */
export class CallIds {
  readonly #rule: CallIdRule;
  readonly #used = new Set<string>();

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  take(id: string): string {
    let taken = id;
    for (let tries = 0; !this.#rule.pattern.test(taken) || this.#used.has(taken); tries++)
      taken = this.#rule.from(sha256(tries === 0 ? id : `${id} ${tries}`));
    this.#used.add(taken);
    return taken;
  }
}
