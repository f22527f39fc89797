import type { TurnEvent } from "../src/client/turn-event.ts";
import { type Printer, type Style, safe } from "./output.ts";
import { WordWrap } from "./word-wrap.ts";

const MAX_SHOWN = 300;

/** A turn as a person reads it: thinking dim, text as it comes, tools and their results in one line each. */
export class TurnView {
  readonly #print: Printer;
  #atLineStart = true;
  #usage = "";
  /** The model's own text that is being printed, and how. */
  #text: { readonly wrap: WordWrap; readonly style: Style | undefined } | null = null;

  constructor(print: Printer) {
    this.#print = print;
  }

  /** Prints what is still held back, and ends the line; to be called when nothing more comes. */
  end(): void {
    this.#freshLine();
  }

  #flush(): void {
    if (this.#text !== null) this.#write(this.#text.wrap.flush(), this.#text.style);
    this.#text = null;
  }

  /** With `--json` each event as one line, as it came. */
  show(event: TurnEvent): void {
    if (!this.#print.json) return this.#showWords(event);
    const came = event.event === "unknown" ? { event: event.type, data: event.data } : event;
    this.#print.record(came);
  }

  #showWords(event: TurnEvent): void {
    switch (event.event) {
      case "content_block_start":
        if (event.data.replaces_from !== undefined)
          this.#line("↻ the engine was restarted; what it was saying is said anew", "yellow");
        if (event.data.block_type === "thinking") this.#say("∴ ", "dim");
        break;
      case "content_block_stop":
        if (event.data.block_type !== "tool_use") this.#freshLine();
        break;
      case "thinking_delta":
        this.#say(event.data.text, "dim");
        break;
      case "text_delta":
        this.#say(event.data.text);
        break;
      case "tool_call":
        this.#line(`▸ ${safe(event.data.tool)} ${shortened(event.data.input)}`, "cyan");
        break;
      case "tool_result":
        if (event.data.error === null) this.#line(`  ↳ ${shortened(event.data.output)}`, "dim");
        else this.#line(`  ↳ failed: ${shortened(event.data.error)}`, "red");
        break;
      case "hitl_request":
        this.#line(`? ${event.data.question}`, "yellow");
        event.data.options.forEach((option, index) => this.#line(`  ${index + 1}. ${safe(option)}`));
        break;
      case "hitl_resolved":
        this.#line(`  answered: ${safe(event.data.answer)}`, "dim");
        break;
      case "working_memory_update":
        this.#line(`✎ ${safe(event.data.entry_type)}: ${shortened(event.data.content)}`, "dim");
        break;
      case "compaction_event": {
        const { before_tokens: before, after_tokens: after } = event.data;
        this.#line(`⇣ context compacted from ${before} to ${after} tokens`, "dim");
        break;
      }
      case "usage": {
        const { input_tokens: input, output_tokens: output, cache_hit_tokens: cached } = event.data;
        this.#usage = `; ${input} tokens in (${cached} cached), ${output} out`;
        break;
      }
      case "thread_lifecycle":
        if (event.data.phase === "completed") this.#line(`— turn completed${this.#usage}`, "dim");
        break;
      case "error":
        // Its words are the command's own last ones; they begin on a line of their own.
        this.#freshLine();
        break;
      case "heartbeat":
      case "unknown":
        break;
      default:
        event satisfies never;
    }
  }

  /** The model's text, wrapped where it goes to a terminal. */
  #say(words: string, style?: Style): void {
    const { columns } = this.#print;
    if (columns() === null) return this.#write(words, style);
    if (this.#text === null || this.#text.style !== style) {
      this.#flush();
      this.#text = { wrap: new WordWrap(() => columns() ?? Infinity), style };
    }
    this.#write(this.#text.wrap.push(words), style);
  }

  #line(words: string, style?: Style): void {
    this.#freshLine();
    this.#write(words, style);
    this.#write("\n");
  }

  #freshLine(): void {
    this.#flush();
    if (!this.#atLineStart) this.#write("\n");
  }

  #write(words: string, style?: Style): void {
    if (words === "") return;
    this.#print.write(words, style);
    this.#atLineStart = words.endsWith("\n");
  }
}

function shortened(value: unknown): string {
  const text = safe(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
