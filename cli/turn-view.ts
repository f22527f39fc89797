import type { ReadEvent } from "./event-reader.ts";
import { type Printer, safe } from "./output.ts";

const MAX_SHOWN = 300;

/** A turn as a person reads it: thinking dim, text as it comes, tools and their results in one line each. */
export class TurnView {
  readonly #print: Printer;
  #atLineStart = true;
  #usage = "";

  constructor(print: Printer) {
    this.#print = print;
  }

  show({ event, data }: ReadEvent): void {
    if (this.#print.json) {
      this.#print.line(JSON.stringify({ event: event.event, data }));
      return;
    }
    switch (event.event) {
      case "content_block_start":
        if (event.data.block_type === "thinking") this.#write(this.#print.style("dim", "∴ "));
        break;
      case "content_block_stop":
        if (event.data.block_type !== "tool_use") this.#freshLine();
        break;
      case "thinking_delta":
        this.#write(this.#print.style("dim", printable(event.data.text)));
        break;
      case "text_delta":
        this.#write(printable(event.data.text));
        break;
      case "tool_call":
        this.#line(this.#print.style("cyan", `▸ ${safe(event.data.tool)} ${shortened(safe(event.data.input))}`));
        break;
      case "tool_result": {
        const { error, output } = event.data;
        this.#line(
          error === null
            ? this.#print.style("dim", `  ↳ ${shortened(safe(output))}`)
            : this.#print.style("red", `  ↳ failed: ${shortened(safe(error))}`),
        );
        break;
      }
      case "hitl_request":
        this.#line(this.#print.style("yellow", `? ${safe(event.data.question)}`));
        event.data.options.forEach((option, index) => this.#line(`  ${index + 1}. ${safe(option)}`));
        break;
      case "hitl_resolved":
        this.#line(this.#print.style("dim", `  answered: ${safe(event.data.answer)}`));
        break;
      case "working_memory_update":
        this.#line(this.#print.style("dim", `✎ ${event.data.entry_type}: ${shortened(safe(event.data.content))}`));
        break;
      case "compaction_event":
        this.#line(
          this.#print.style(
            "dim",
            `⇣ context compacted from ${event.data.before_tokens} to ${event.data.after_tokens} tokens`,
          ),
        );
        break;
      case "usage": {
        const { input_tokens: input, output_tokens: output, cache_hit_tokens: cached } = event.data;
        this.#usage = `${input} tokens in (${cached} cached), ${output} out`;
        break;
      }
      case "thread_lifecycle":
        if (event.data.phase === "completed") this.#line(this.#print.style("dim", `— turn completed; ${this.#usage}`));
        break;
      case "error":
      case "heartbeat":
        break;
      default:
        event satisfies never;
    }
  }

  #line(words: string): void {
    this.#freshLine();
    this.#write(`${words}\n`);
  }

  #freshLine(): void {
    if (!this.#atLineStart) this.#write("\n");
  }

  #write(words: string): void {
    process.stdout.write(words);
    this.#atLineStart = words.endsWith("\n");
  }
}

/** A model's text may hold anything; lines and tabs stay, what moves the cursor does not. */
const printable = (text: string): string =>
  text
    .split(/(\n|\t)/)
    .map((part) => (part === "\n" || part === "\t" ? part : safe(part)))
    .join("");

const shortened = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
