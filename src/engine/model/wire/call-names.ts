import { createHash } from "node:crypto";
import type { CallIdRule } from "./wire-rules.ts";

/** What all providers take as the name of a tool. */
const TOOL_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const HASH_LENGTH = 8;

/** The name of a tool on the wire: a model can call any name, and a provider refuses a history with some of them. */
export function wireToolName(name: string): string {
  // The provider packages look names up in plain objects, and would find what every object has.
  const isSound = TOOL_NAME.test(name) && !(name in Object.prototype);
  return isSound ? name : hashedName(name, { fallback: "tool", maxLength: 64 });
}

/** `name` in letters, digits and underscores, with a hash so that no two names become one. */
export function hashedName(
  name: string,
  { fallback, maxLength }: { readonly fallback: string; readonly maxLength: number },
): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_]+/g, "_").replace(/^[^A-Za-z]+/, "");
  return `${(plain || fallback).slice(0, maxLength - HASH_LENGTH - 1)}_${hash(name).slice(0, HASH_LENGTH)}`;
}

/** Ids of calls on the wire: in the provider's form, each used once, the same at every rebuild of one history. */
export class CallIds {
  readonly #rule: CallIdRule;
  readonly #used = new Set<string>();

  constructor(rule: CallIdRule) {
    this.#rule = rule;
  }

  take(id: string): string {
    let taken = id;
    for (let tries = 0; !this.#rule.pattern.test(taken) || this.#used.has(taken); tries++)
      taken = this.#rule.from(hash(tries === 0 ? id : `${id} ${tries}`));
    this.#used.add(taken);
    return taken;
  }
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
