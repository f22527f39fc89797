import { MessageTable } from "../store/messages.ts";
import { type StoredItem, StoredItems } from "./search/stored-items.ts";
import { Table } from "../store/table.ts";

/** A memory item with the stored messages of its turn. */
export interface FullItem {
  readonly item: StoredItem;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

/** Reads one item by its id. */
export class FullItems extends Table {
  readonly #items = new StoredItems(this.store);
  readonly #messages = new MessageTable(this.store);

  read(id: string): FullItem | null {
    const row = this.#items.rowOf(id);
    const item = row === null ? null : this.#items.read(row);
    if (item === null) return null;
    const stored = item.kind === "episode" && item.turnId !== null ? this.#messages.ofTurn(item.turnId) : [];
    const messages = stored
      .filter(({ thread }) => thread === "")
      .map(({ role, content }) => ({ role, text: typeof content === "string" ? content : textOf(content) }));
    return { item, messages };
  }
}

/** The readable parts of a message, without thinking and signatures. */
function textOf(content: unknown): string {
  const parts = Array.isArray(content) ? (content as readonly Readonly<Record<string, unknown>>[]) : [];
  return parts
    .flatMap(({ kind, text, tool, input, output }) => {
      if (kind === "thinking") return [];
      if (kind === "text") return [String(text)];
      return [`${String(tool)}: ${JSON.stringify(kind === "tool_use" ? input : output)}`];
    })
    .join("\n");
}
