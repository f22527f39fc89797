import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { ModelPart } from "./model-provider.ts";
import { readToolInput } from "./parse-tool-input.ts";

type Open =
  | { readonly kind: "text" }
  | { readonly kind: "thinking"; signature: SharedV4ProviderMetadata | undefined }
  | { readonly kind: "tool_use"; readonly id: string; readonly tool: string; rawInput: string };

/**
 * A provider's content as blocks that never overlap. Providers close a text only at the very end, or send the inputs of
 * several tool calls at once: a block that begins closes the text or thinking before it, and what comes while a tool
 * call is still incomplete waits until that is whole.
 */
export class BlockSequence {
  #open: Open | null = null;
  #waiting: LanguageModelV4StreamPart[] = [];

  *add(part: LanguageModelV4StreamPart): Generator<ModelPart> {
    if (this.#open?.kind === "tool_use" && !belongsTo(this.#open.id, part)) {
      this.#waiting.push(part);
      return;
    }
    switch (part.type) {
      case "text-delta":
        if (part.delta === "") break;
        if (this.#open?.kind !== "text") yield* this.#begin({ kind: "text" });
        yield { kind: "text", text: part.delta };
        break;
      case "reasoning-start":
        yield* this.#begin({ kind: "thinking", signature: part.providerMetadata });
        break;
      case "reasoning-delta":
        if (this.#open?.kind !== "thinking") yield* this.#begin({ kind: "thinking", signature: undefined });
        this.#sign(part.providerMetadata);
        if (part.delta !== "") yield { kind: "thinking", text: part.delta };
        break;
      case "reasoning-end":
        if (this.#open?.kind !== "thinking") break;
        this.#sign(part.providerMetadata);
        yield* this.#end();
        break;
      case "text-end":
        if (this.#open?.kind === "text") yield* this.#end();
        break;
      case "tool-input-start":
        yield* this.#begin({ kind: "tool_use", id: part.id, tool: part.toolName, rawInput: "" });
        break;
      case "tool-input-delta":
        if (this.#open?.kind === "tool_use") this.#open.rawInput += part.delta;
        break;
      case "tool-call":
        yield* this.#call({ id: part.toolCallId, tool: part.toolName, rawInput: part.input }, part.providerMetadata);
        break;
      default:
        // Sources, files and the like have no event of ours.
        break;
    }
  }

  /** The provider has said everything: a tool call whose end it forgot is taken as it stands. */
  *finish(): Generator<ModelPart> {
    while (this.#open !== null) {
      if (this.#open.kind === "tool_use") yield* this.#call(this.#open, undefined);
      else yield* this.#end();
    }
  }

  /** The provider broke off. What is half done is closed; half a call is none, and half a thought is not signed. */
  *abort(): Generator<ModelPart> {
    this.#waiting = [];
    if (this.#open === null) return;
    const block = this.#open.kind;
    this.#open = null;
    yield { kind: "block_stop", block };
  }

  *#call(
    { id, tool, rawInput }: { id: string; tool: string; rawInput: string },
    signature: SharedV4ProviderMetadata | undefined,
  ): Generator<ModelPart> {
    if (this.#open?.kind !== "tool_use") yield* this.#begin({ kind: "tool_use", id, tool, rawInput });
    const input = readToolInput(rawInput);
    yield { kind: "tool_use", id, tool, input, rawInput, ...(signature !== undefined && { signature }) };
    yield* this.#end();
  }

  *#begin(block: Open): Generator<ModelPart> {
    if (this.#open !== null) yield* this.#end();
    this.#open = block;
    yield { kind: "block_start", block: block.kind };
  }

  *#end(): Generator<ModelPart> {
    if (this.#open === null) return;
    const ended = this.#open;
    this.#open = null;
    if (ended.kind === "thinking" && ended.signature !== undefined) {
      yield { kind: "thinking", text: "", signature: ended.signature };
    }
    yield { kind: "block_stop", block: ended.kind };
    const waited = this.#waiting;
    this.#waiting = [];
    for (const part of waited) yield* this.add(part);
  }

  /** A signature comes in pieces, on any part of its block. */
  #sign(metadata: SharedV4ProviderMetadata | undefined): void {
    if (this.#open?.kind !== "thinking" || metadata === undefined) return;
    const signature: SharedV4ProviderMetadata = { ...this.#open.signature };
    for (const [provider, pieces] of Object.entries(metadata))
      signature[provider] = { ...signature[provider], ...pieces };
    this.#open.signature = signature;
  }
}

function belongsTo(callId: string, part: LanguageModelV4StreamPart): boolean {
  switch (part.type) {
    case "tool-call":
      return part.toolCallId === callId;
    case "tool-input-delta":
    case "tool-input-end":
      return part.id === callId;
    case "text-delta":
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
    case "tool-input-start":
      return false;
    default:
      return true;
  }
}
