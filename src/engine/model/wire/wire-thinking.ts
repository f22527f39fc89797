import type { LanguageModelV4ReasoningPart, SharedV4ProviderOptions } from "@ai-sdk/provider";
import type { AssistantContent } from "../model-provider.ts";
import { isRecord } from "../../../shared/json-values.ts";
import type { WireRules } from "./wire-rules.ts";

type Thinking = Extract<AssistantContent, { kind: "thinking" }>;

const MAX_ITEM_ID = 64;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The provider's own fields of a signature, unchanged; null without any. */
export function ownSignature(
  signature: unknown,
  { signer, fields }: { readonly signer: string; readonly fields: readonly string[] },
): SharedV4ProviderOptions | null {
  const own = isRecord(signature) ? signature[signer] : undefined;
  if (!isRecord(own)) return null;
  const kept = fields.flatMap((name) => {
    const value = own[name];
    const isValid = typeof value === "string" && value !== "" && value.isWellFormed();
    return isValid && (name !== "thoughtSignature" || BASE64.test(value)) ? [[name, value] as const] : [];
  });
  return kept.length === 0 ? null : { [signer]: Object.fromEntries(kept) };
}

/** Selects and converts the thinking that is sent back to a provider. */
export class WireThinking {
  readonly #rules: WireRules;
  readonly #itemIds = new Set<string>();

  constructor(rules: WireRules) {
    this.#rules = rules;
  }

  /** The thinking of one answer, by part; parts missing in the map are omitted. */
  of(content: readonly AssistantContent[]): ReadonlyMap<AssistantContent, LanguageModelV4ReasoningPart> {
    const { thinking } = this.#rules;
    if (thinking === "none") return new Map();
    const parts = content.filter((part) => part.kind === "thinking");
    const kept = this.#rules.thinkingFields.includes("itemId") ? this.#completeItems(parts) : parts;
    return new Map(kept.flatMap((part) => this.#part(part) ?? []));
  }

  #part(part: Thinking): [[Thinking, LanguageModelV4ReasoningPart]] | null {
    const { thinking, signer, thinkingProof, thinkingFields } = this.#rules;
    const { text } = part;
    // Signed thinking must be sent back unchanged or not at all.
    const signed = text.isWellFormed()
      ? ownSignature(part.signature, { signer, fields: [...thinkingProof, ...thinkingFields] })
      : null;
    if (signed !== null) return [[part, { type: "reasoning", text, providerOptions: signed }]];
    const isForeign = isRecord(part.signature) && !(signer in part.signature);
    const isWanted = thinking === "any" || (thinking === "own" && !isForeign);
    return isWanted && text.trim() !== "" ? [[part, { type: "reasoning", text: text.toWellFormed() }]] : null;
  }

  /** OpenAI splits a reasoning item into parts, of which only the last has its content; each item is sent back once. */
  #completeItems(parts: readonly Thinking[]): readonly Thinking[] {
    const { signer, thinkingProof } = this.#rules;
    const complete = new Set(
      parts.flatMap((part) =>
        ownSignature(part.signature, { signer, fields: thinkingProof }) === null ? [] : itemIdOf(part, signer),
      ),
    );
    const fresh = new Set([...complete].filter((id) => id.length <= MAX_ITEM_ID && !this.#itemIds.has(id)));
    for (const id of fresh) this.#itemIds.add(id);
    return parts.filter((part) => itemIdOf(part, signer).some((id) => fresh.has(id)));
  }
}

function itemIdOf({ signature }: Thinking, signer: string): readonly string[] {
  const { itemId } = ownSignature(signature, { signer, fields: ["itemId"] })?.[signer] ?? {};
  return typeof itemId === "string" ? [itemId] : [];
}
