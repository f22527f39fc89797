/** A message of the run. `block`: the block of the turn with which it came. */
interface LoggedMessage {
  readonly block: number;
  readonly message: Record<string, unknown>;
}

interface LoggedCall {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly parent: string | undefined;
}

/** The messages that a client has during a run: its own, and what the run has added. */
export class RunLog {
  readonly #given: readonly object[];
  #added: LoggedMessage[] = [];
  /** The current block of the turn. */
  block = 0;

  constructor(given: readonly object[]) {
    this.#given = given;
  }

  get messages(): readonly object[] {
    return [...this.#given, ...this.#added.map(({ message }) => message)];
  }

  add(message: Record<string, unknown>): void {
    this.#added.push({ block: this.block, message });
  }

  /** Adds text to the last message. */
  extend(text: string): void {
    const last = this.#added.at(-1)?.message;
    if (last !== undefined) last["content"] = String(last["content"]) + text;
  }

  addCall({ id, name, text, parent }: LoggedCall): void {
    const call = { id, type: "function", function: { name, arguments: text } };
    const found = this.#added.find(({ message }) => message["id"] === parent && message["role"] === "assistant");
    if (found === undefined) this.add({ id: parent ?? id, role: "assistant", toolCalls: [call] });
    else found.message["toolCalls"] = [...((found.message["toolCalls"] as object[] | undefined) ?? []), call];
  }

  /** Forgets what came with a block or later ones. Returns whether there was anything. */
  dropFrom(block: number): boolean {
    const kept = this.#added.filter((one) => one.block < block);
    const isShorter = kept.length < this.#added.length;
    this.#added = kept;
    return isShorter;
  }
}
