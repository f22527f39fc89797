import type { AttachmentRecord } from "../src/client/records.ts";
import type { TurnEvent } from "../src/client/turn-event.ts";
import { describeAttachment } from "./attachments.ts";
import { type Printer, type Style, safe } from "./output.ts";
import { WordWrap } from "./word-wrap.ts";

const MAX_SHOWN = 300;

/** Prints a turn for a person: thinking dim, text as it arrives, one line for each tool call and result. */
export class TurnView {
  readonly #print: Printer;
  #atLineStart = true;
  #usage = "";
  /** The model's text that is being printed. */
  #text: { readonly wrap: WordWrap; readonly style: Style | undefined } | null = null;

  constructor(print: Printer) {
    this.#print = print;
  }

  /** Prints the buffered rest and ends the line. */
  end(): void {
    this.#freshLine();
  }

  #flush(): void {
    if (this.#text !== null) this.#write(this.#text.wrap.flush(), this.#text.style);
    this.#text = null;
  }

  /** With `--json`, each event is one line. */
  show(event: TurnEvent): void {
    if (!this.#print.json) return this.#showText(event);
    const record = event.event === "unknown" ? { event: event.type, data: event.data } : event;
    this.#print.record(record);
  }

  #showText(event: TurnEvent): void {
    switch (event.event) {
      case "content_block_start":
        if (event.data.replaces_from !== undefined)
          this.#line("↻ the engine restarted; its answer starts again", "yellow");
        if (event.data.block_type === "thinking") this.#writeWrapped("∴ ", "dim");
        break;
      case "content_block_stop":
        if (event.data.block_type !== "tool_use") this.#freshLine();
        break;
      case "thinking_delta":
        this.#writeWrapped(event.data.text, "dim");
        break;
      case "text_delta":
        this.#writeWrapped(event.data.text);
        break;
      case "tool_call":
        this.#line(`▸ ${safe(event.data.tool)} ${shortened(event.data.input)}`, "cyan");
        break;
      case "tool_result":
        if (event.data.error === null) this.#line(`  ↳ ${shortened(event.data.output)}`, "dim");
        else this.#line(`  ↳ failed: ${shortened(event.data.error)}`, "red");
        this.#attachments("  ", event.data.attachments);
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
        this.#attachments("", event.data.attachments);
        if (event.data.phase === "completed") this.#line(`— turn completed${this.#usage}`, "dim");
        break;
      case "error":
        // The command prints the error at its end, on a new line.
        this.#freshLine();
        break;
      default:
      // Others are for programs.
    }
  }

  #attachments(indent: string, files: readonly AttachmentRecord[] = []): void {
    for (const file of files) this.#line(`${indent}+ ${describeAttachment(file)}`, "dim");
  }

  /** The model's text, wrapped where it goes to a terminal. */
  #writeWrapped(words: string, style?: Style): void {
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
