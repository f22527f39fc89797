import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import { MAX_JSON_LEVELS, isFlatterThan, isRecord } from "../../shared/json-values.ts";
import type { ModelPart } from "./model-provider.ts";

type Open =
  | { readonly kind: "text" }
  | { readonly kind: "thinking"; signature: SharedV4ProviderMetadata | undefined }
  | { readonly kind: "tool_use"; readonly id: string; readonly tool: string; rawInput: string };

/**
 * Turns a provider's stream into blocks that never overlap. Providers close text late and interleave the inputs of tool
 * calls: a new block closes open text or thinking, and parts that arrive during an open tool call are buffered.
 */
export class BlockSequence {
  #open: Open | null = null;
  #buffered: LanguageModelV4StreamPart[] = [];

  *add(part: LanguageModelV4StreamPart): Generator<ModelPart> {
    if (this.#open?.kind === "tool_use" && !belongsTo(this.#open.id, part)) {
      this.#buffered.push(part);
      return;
    }
    switch (part.type) {
      case "text-delta":
        if (part.delta === "") break;
        if (this.#open?.kind !== "text") yield* this.#start({ kind: "text" });
        yield { kind: "text", text: part.delta };
        break;
      case "reasoning-start":
        yield* this.#start({ kind: "thinking", signature: part.providerMetadata });
        break;
      case "reasoning-delta":
        if (this.#open?.kind !== "thinking") yield* this.#start({ kind: "thinking", signature: undefined });
        this.#addSignature(part.providerMetadata);
        if (part.delta !== "") yield { kind: "thinking", text: part.delta };
        break;
      case "reasoning-end":
        if (this.#open?.kind !== "thinking") break;
        this.#addSignature(part.providerMetadata);
        yield* this.#end();
        break;
      case "text-end":
        if (this.#open?.kind === "text") yield* this.#end();
        break;
      case "tool-input-start":
        yield* this.#start({ kind: "tool_use", id: part.id, tool: part.toolName, rawInput: "" });
        break;
      case "tool-input-delta":
        if (this.#open?.kind !== "tool_use") break;
        this.#open.rawInput += part.delta;
        if (part.delta !== "") yield { kind: "tool_input", id: this.#open.id, tool: this.#open.tool, json: part.delta };
        break;
      case "tool-call":
        yield* this.#call({ id: part.toolCallId, tool: part.toolName, rawInput: part.input }, part.providerMetadata);
        break;
      default:
        // Sources, files and other parts have no engine event.
        break;
    }
  }

  /** Ends a complete stream; an unterminated tool call is used as it is. */
  *finish(): Generator<ModelPart> {
    while (this.#open !== null) {
      if (this.#open.kind === "tool_use") yield* this.#call(this.#open, undefined);
      else yield* this.#end();
    }
  }

  /** Ends a stream that failed: closes the open block without its tool call or signature. */
  *abort(): Generator<ModelPart> {
    this.#buffered = [];
    if (this.#open === null) return;
    const block = this.#open.kind;
    this.#open = null;
    yield { kind: "block_stop", block };
  }

  *#call(
    { id, tool, rawInput }: { id: string; tool: string; rawInput: string },
    signature: SharedV4ProviderMetadata | undefined,
  ): Generator<ModelPart> {
    if (this.#open?.kind !== "tool_use") yield* this.#start({ kind: "tool_use", id, tool, rawInput });
    const input = readToolInput(rawInput);
    yield { kind: "tool_use", id, tool, input, rawInput, ...(signature !== undefined && { signature }) };
    yield* this.#end();
  }

  *#start(block: Open): Generator<ModelPart> {
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
    const buffered = this.#buffered;
    this.#buffered = [];
    for (const part of buffered) yield* this.add(part);
  }

  /** Merges the fields of a signature, which may arrive with any part of the block. */
  #addSignature(metadata: SharedV4ProviderMetadata | undefined): void {
    if (this.#open?.kind !== "thinking" || metadata === undefined) return;
    const signature: SharedV4ProviderMetadata = { ...this.#open.signature };
    for (const [provider, fields] of Object.entries(metadata))
      signature[provider] = { ...signature[provider], ...fields };
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

/** Parses a model's arguments; null if they are no JSON object or nested too deep. Empty text means no arguments. */
export function readToolInput(text: string): Readonly<Record<string, unknown>> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && isFlatterThan(MAX_JSON_LEVELS, value) ? value : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
