import { askText } from "./ask.ts";
import { itemId } from "./ids.ts";
import type { Ask, Call, Piece } from "./turn-pieces.ts";

/** An item of a response's output. */
export interface Item {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** An event of a response's stream, without its number. */
export interface ItemEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The tools of the agent show as those of one server. */
const SERVER = "engine";
const APPROVAL = "mcpr_";

export const approvalId = (requestId: string): string => APPROVAL + requestId;
export const requestOfApproval = (id: string): string => (id.startsWith(APPROVAL) ? id.slice(APPROVAL.length) : id);

interface Slot {
  readonly index: number;
  item: Item;
  /** The block of the turn that made it. */
  readonly block: number;
  text: string;
  isDone: boolean;
}

/** Makes the items of a response from the pieces of an answer, and the events that a stream tells of them. */
export class ResponseItems {
  readonly #turnId: string;
  readonly #isStructured: boolean;
  #count = 0;
  #slots: Slot[] = [];

  /** `isStructured`: the text is the result alone, without the texts on the way to it. */
  constructor({ turnId, isStructured }: { readonly turnId: string; readonly isStructured: boolean }) {
    this.#turnId = turnId;
    this.#isStructured = isStructured;
  }

  /** What the response has so far. */
  get output(): readonly Item[] {
    return this.#slots.map((slot) => (slot.isDone || !isText(slot) ? slot.item : whole(slot, "in_progress")));
  }

  get isEmpty(): boolean {
    return this.#slots.length === 0;
  }

  take(piece: Piece): readonly ItemEvent[] {
    switch (piece.kind) {
      case "text":
        return this.#isStructured ? [] : this.#write("msg_", piece.block, piece.text);
      case "reasoning":
        return this.#write("rs_", piece.block, piece.text);
      case "block_end":
        return this.#slots.filter(({ block, isDone }) => block === piece.block && !isDone).flatMap(close);
      case "replaced":
        return this.#replace(piece.from);
      case "call":
        return piece.call.isClients
          ? this.#functionCall(piece.call, piece.block)
          : this.#startCall(piece.call, piece.block);
      case "result":
        return this.#endCall(piece);
      case "ask":
        return this.#ask(piece.ask);
      case "end": {
        const { end } = piece;
        const cutOff = this.#slots.filter((slot) => isText(slot) && !slot.isDone);
        const told = cutOff.flatMap((slot) => finish(slot, whole(slot, "incomplete")));
        // A call that waits for a permission comes with the answer after that. Of one that was cut off there is no result.
        this.#slots = this.#slots.filter(({ isDone }) => isDone);
        if (told.length > 0) return told;
        if (end.kind !== "completed" || end.output === null) return [];
        return this.#message("output", JSON.stringify(end.output));
      }
      default:
        return piece satisfies never;
    }
  }

  #add(item: Item, block: number): Slot {
    const slot = { index: this.#count++, item, block, text: "", isDone: false };
    this.#slots.push(slot);
    return slot;
  }

  #write(prefix: "msg_" | "rs_", block: number, delta: string): readonly ItemEvent[] {
    const id = itemId(prefix, this.#turnId, block);
    const known = this.#slots.findLast(({ item, isDone }) => item.id === id && !isDone);
    const slot = known ?? this.#add(prefix === "msg_" ? message(id, "in_progress", null) : reasoning(id, null), block);
    slot.text += delta;
    const { place, name } = textPlace(slot);
    return [
      ...(known === undefined ? opened(slot) : []),
      { type: `response.${name}.delta`, ...place, delta, ...LOGPROBS[name] },
    ];
  }

  #message(key: string, text: string): readonly ItemEvent[] {
    const slot = this.#add(message(itemId("msg_", this.#turnId, key), "in_progress", null), OWN);
    slot.text = text;
    const { place, name } = textPlace(slot);
    const delta = { type: `response.${name}.delta`, ...place, delta: text, ...LOGPROBS[name] };
    return [...opened(slot), delta, ...close(slot)];
  }

  #ask(ask: Ask): readonly ItemEvent[] {
    const told = this.#message(ask.requestId, askText(ask));
    if (ask.kind !== "permission") return told;
    const slot = this.#add(
      {
        id: approvalId(ask.requestId),
        type: "mcp_approval_request",
        server_label: SERVER,
        name: ask.tool ?? "",
        arguments: ask.input,
      },
      OWN,
    );
    return [...told, added(slot), ...finish(slot, slot.item)];
  }

  #functionCall(call: Call, block: number): readonly ItemEvent[] {
    const item = {
      id: itemId("fc_", this.#turnId, call.id),
      type: "function_call",
      call_id: call.id,
      name: call.tool,
      arguments: JSON.stringify(call.input),
    };
    const slot = this.#add({ ...item, arguments: "", status: "in_progress" }, block);
    return [
      added(slot),
      ...argumentEvents("function_call_arguments", slot, item),
      ...finish(slot, { ...item, status: "completed" }),
    ];
  }

  #startCall(call: Call, block: number): readonly ItemEvent[] {
    const item = mcpCall(itemId("mcp_", this.#turnId, call.id), call);
    const slot = this.#add({ ...item, arguments: "" }, block);
    const start = added(slot);
    slot.item = item;
    const place = { item_id: item.id, output_index: slot.index };
    return [
      start,
      { type: "response.mcp_call.in_progress", ...place },
      ...argumentEvents("mcp_call_arguments", slot, item),
    ];
  }

  #endCall({ call, block, output, error, askedBy }: Extract<Piece, { kind: "result" }>): readonly ItemEvent[] {
    const id = itemId("mcp_", this.#turnId, call.id);
    const isOpen = this.#slots.some(({ item, isDone }) => item.id === id && !isDone);
    // One that waited for a permission began in the answer before.
    const begun = isOpen ? [] : this.#startCall(call, block);
    const slot = this.#slots.findLast(({ item }) => item.id === id);
    if (slot === undefined) return begun;
    const item = {
      ...mcpCall(id, call),
      status: error === null ? "completed" : "failed",
      output: error === null ? textOf(output) : null,
      error,
      ...(askedBy !== null && { approval_request_id: approvalId(askedBy) }),
    };
    const place = { item_id: id, output_index: slot.index };
    return [...begun, { type: `response.mcp_call.${item.status}`, ...place }, ...finish(slot, item)];
  }

  /** What a restart has cut off leaves the output. A stream is told that it is incomplete. */
  #replace(from: number): readonly ItemEvent[] {
    const gone = this.#slots.filter(({ block }) => block >= from);
    this.#slots = this.#slots.filter(({ block }) => block < from);
    return gone
      .filter(({ isDone }) => !isDone)
      .flatMap((slot) =>
        finish(slot, isText(slot) ? whole(slot, "incomplete") : { ...slot.item, status: "incomplete" }),
      );
  }
}

/** The block of an item that is no block of the turn. None is cut off. */
const OWN = -1;
const LOGPROBS = { output_text: { logprobs: [] }, reasoning_summary_text: {} } as const;

const textOf = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output ?? null));

const outputText = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

/** `text`: null for one without a part. */
const message = (id: string, status: string, text: string | null): Item => ({
  id,
  type: "message",
  role: "assistant",
  status,
  content: text === null ? [] : [outputText(text)],
});

const reasoning = (id: string, text: string | null): Item => ({
  id,
  type: "reasoning",
  summary: text === null ? [] : [{ type: "summary_text", text }],
});

const mcpCall = (id: string, { tool, input }: Call): Item => ({
  id,
  type: "mcp_call",
  server_label: SERVER,
  name: tool,
  arguments: JSON.stringify(input),
  status: "in_progress",
  output: null,
  error: null,
});

const isText = ({ item }: Slot): boolean => item.type === "message" || item.type === "reasoning";

const whole = ({ item, text }: Slot, status: string): Item =>
  item.type === "message" ? message(item.id, status, text) : reasoning(item.id, text);

const added = ({ index, item }: Slot): ItemEvent => ({ type: "response.output_item.added", output_index: index, item });

function finish(slot: Slot, item: Item): readonly ItemEvent[] {
  slot.item = item;
  slot.isDone = true;
  return [{ type: "response.output_item.done", output_index: slot.index, item }];
}

function argumentEvents(name: string, { index }: Slot, item: Item): readonly ItemEvent[] {
  const place = { item_id: item.id, output_index: index };
  return [
    { type: `response.${name}.delta`, ...place, delta: item["arguments"] },
    { type: `response.${name}.done`, ...place, name: item["name"], arguments: item["arguments"] },
  ];
}

function textPlace({ index, item }: Slot) {
  const isMessage = item.type === "message";
  return {
    name: isMessage ? ("output_text" as const) : ("reasoning_summary_text" as const),
    part: isMessage ? "content_part" : "reasoning_summary_part",
    place: { item_id: item.id, output_index: index, [isMessage ? "content_index" : "summary_index"]: 0 },
  };
}

const partOf = ({ item }: Slot, text: string) =>
  item.type === "message" ? outputText(text) : { type: "summary_text", text };

function opened(slot: Slot): readonly ItemEvent[] {
  const { part, place } = textPlace(slot);
  return [added(slot), { type: `response.${part}.added`, ...place, part: partOf(slot, "") }];
}

function close(slot: Slot): readonly ItemEvent[] {
  if (!isText(slot)) return [];
  const { text } = slot;
  const { part, place, name } = textPlace(slot);
  return [
    { type: `response.${name}.done`, ...place, text, ...LOGPROBS[name] },
    { type: `response.${part}.done`, ...place, part: partOf(slot, text) },
    ...finish(slot, whole(slot, "completed")),
  ];
}
