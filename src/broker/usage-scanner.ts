/** The names of the field with the usage, by the protocols. In a text of the model the quotes are escaped. */
const USAGE = /"(?:usage|usageMetadata)"\s*:\s*\{/g;
/** So much of a chunk is kept, in case the name goes on in the next one. */
const TAIL = 24;
/** A longer one is no usage. */
const MAX_LENGTH = 8192;
const BYTES_PER_TOKEN = 4;

export interface CallUsage {
  /** The whole request, with what was read from and written to the provider's cache. */
  readonly input: number;
  readonly output: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a provider's own count from an answer that passes: the largest value of each field, since counts in a stream grow.
 * So nothing that a model writes can lower it.
 */
export class UsageScanner {
  #rest = "";
  #bytes = 0;
  readonly #largest = new Map<string, number>();

  see(chunk: Buffer): void {
    this.#bytes += chunk.length;
    const text = this.#rest + chunk.toString("latin1");
    this.#rest = text.slice(-TAIL);
    USAGE.lastIndex = 0;
    for (let match = USAGE.exec(text); match !== null; match = USAGE.exec(text)) {
      const start = match.index + match[0].length - 1;
      const end = endOfObject(text, start);
      if (end !== -1) {
        this.#add(text.slice(start, end + 1));
        // A name that was read is not read again.
        this.#rest = text.slice(Math.max(end + 1, text.length - TAIL));
      } else if (text.length - match.index < MAX_LENGTH) {
        this.#rest = text.slice(match.index);
        return;
      }
    }
  }

  /** Null when the provider has not told it. */
  usage(): CallUsage | null {
    const of = (...names: readonly string[]): number =>
      names.reduce((sum, name) => sum + (this.#largest.get(name) ?? 0), 0);
    if (this.#largest.size === 0) return null;
    // Anthropic and Bedrock count what the cache read and wrote apart from the input.
    const [apart, written] = [
      of("cache_read_input_tokens", "cacheReadInputTokens"),
      of("cache_creation_input_tokens", "cacheWriteInputTokens"),
    ];
    const input =
      Math.max(of("input_tokens"), of("prompt_tokens"), of("promptTokenCount", "toolUsePromptTokenCount")) +
      of("inputTokens") +
      apart +
      written;
    const within = Math.max(of("cached_tokens"), of("cachedContentTokenCount"));
    const output = Math.max(
      of("output_tokens", "outputTokens"),
      of("completion_tokens"),
      of("candidatesTokenCount", "thoughtsTokenCount"),
    );
    const cacheRead = Math.min(apart + within, input);
    return { input, output, cache_read: cacheRead, cache_write: Math.min(written, input - cacheRead) };
  }

  /** Of an answer that was cut: its tokens by its length, at most `output`. Zero before its first byte. */
  estimate(bounds: { readonly input: number; readonly output: number }): CallUsage {
    const known = this.usage();
    const seen = Math.min(bounds.output, Math.ceil(this.#bytes / BYTES_PER_TOKEN));
    if (known === null) return { input: bounds.input, output: seen, cache_read: 0, cache_write: 0 };
    return { ...known, output: Math.max(known.output, seen) };
  }

  #add(json: string): void {
    try {
      this.#addFields(JSON.parse(json) as Fields);
    } catch {
      // It only looked like one.
    }
  }

  #addFields(fields: Fields): void {
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)
        this.#largest.set(name, Math.max(value, this.#largest.get(name) ?? 0));
      // Such as `prompt_tokens_details`.
      else if (typeof value === "object" && value !== null && name.endsWith("_details"))
        this.#addFields(value as Fields);
    }
  }
}

/** -1 when it has not ended yet. Counts have no strings with braces. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const sign = text[at];
    if (sign === "{") depth++;
    else if (sign === "}" && --depth === 0) return at;
  }
  return -1;
}
