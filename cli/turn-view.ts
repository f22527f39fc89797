import type { TurnEvent } from "../src/client/turn-event.ts";
import { type Printer, safe, safeLines } from "./output.ts";

const MAX_SHOWN = 300;

/** A turn as a person reads it: thinking dim, text as it comes, tools and their results in one line each. */
export class TurnView {
  readonly #print: Printer;
  #atLineStart = true;
  #usage = "";

  constructor(print: Printer) {
    this.#print = print;
  }

  /** With `--json` each event as one line, as it came. */
  show(event: TurnEvent): void {
    if (!this.#print.json) return this.#showWords(event);
    const came = event.event === "unknown" ? { event: event.type, data: event.data } : event;
    this.#print.line(JSON.stringify(came));
  }

  #showWords(event: TurnEvent): void {
    const { style } = this.#print;
    switch (event.event) {
      case "content_block_start":
        if (event.data.replaces_from !== undefined)
          this.#line(style("yellow", "↻ the engine was restarted; what it was saying is said anew"));
        if (event.data.block_type === "thinking") this.#write(style("dim", "∴ "));
        break;
      case "content_block_stop":
        if (event.data.block_type !== "tool_use") this.#freshLine();
        break;
      case "thinking_delta":
        this.#write(style("dim", safeLines(event.data.text)));
        break;
      case "text_delta":
        this.#write(safeLines(event.data.text));
        break;
      case "tool_call":
        this.#line(style("cyan", `▸ ${safe(event.data.tool)} ${shortened(event.data.input)}`));
        break;
      case "tool_result":
        if (event.data.error === null) this.#line(style("dim", `  ↳ ${shortened(event.data.output)}`));
        else this.#line(style("red", `  ↳ failed: ${shortened(event.data.error)}`));
        break;
      case "hitl_request":
        this.#line(style("yellow", `? ${safeLines(event.data.question)}`));
        event.data.options.forEach((option, index) => this.#line(`  ${index + 1}. ${safe(option)}`));
        break;
      case "hitl_resolved":
        this.#line(style("dim", `  answered: ${safe(event.data.answer)}`));
        break;
      case "working_memory_update":
        this.#line(style("dim", `✎ ${event.data.entry_type}: ${shortened(event.data.content)}`));
        break;
      case "compaction_event": {
        const { before_tokens: before, after_tokens: after } = event.data;
        this.#line(style("dim", `⇣ context compacted from ${before} to ${after} tokens`));
        break;
      }
      case "usage": {
        const { input_tokens: input, output_tokens: output, cache_hit_tokens: cached } = event.data;
        this.#usage = `; ${input} tokens in (${cached} cached), ${output} out`;
        break;
      }
      case "thread_lifecycle":
        if (event.data.phase === "completed") this.#line(style("dim", `— turn completed${this.#usage}`));
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

  #line(words: string): void {
    this.#freshLine();
    this.#write(`${words}\n`);
  }

  #freshLine(): void {
    if (!this.#atLineStart) this.#write("\n");
  }

  #write(words: string): void {
    if (words === "") return;
    process.stdout.write(words);
    this.#atLineStart = words.endsWith("\n");
  }
}

function shortened(value: unknown): string {
  const text = safe(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
