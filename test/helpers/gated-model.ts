import { whenAborted } from "../../src/shared/clock.ts";
import type { ModelMessage, ModelPart, ModelProvider, ModelRequest } from "../../src/engine/model/model-provider.ts";
import { calls, testTool } from "./engine-parts.ts";

const USAGE = { inputTokens: 1, outputTokens: 1, cacheHitTokens: 0 };

/** A gate that what is behind it waits for. */
export class Gate {
  readonly #open = Promise.withResolvers<void>();
  waiting = 0;

  async pass(signal: AbortSignal): Promise<void> {
    this.waiting++;
    await Promise.race([this.#open.promise, whenAborted(signal)]);
    this.waiting--;
  }

  open(): void {
    this.#open.resolve();
  }
}

/** What a turn of a `client` message brings. */
export const CLIENT_TOOL = { name: "get_location", description: "Where the user is", input_schema: { type: "object" } };

/**
 * A model that does what the user's last message begins with: `model` waits for the gate in the middle of the answer,
 * `tool` in a tool, `ask` asks a person, `client` calls a tool of the client. Anything else is answered at once. It keeps what it was asked.
 */
export function gatedModel(gate: Gate) {
  const requests: ModelRequest[] = [];
  const provider: ModelProvider = {
    name: "gated",
    async *stream(request, signal) {
      requests.push(request);
      const at = request.messages.findLastIndex(({ role }) => role === "user");
      const text = textOf(request.messages[at]);
      const hasResults = request.messages.slice(at).some(({ role }) => role === "tool");
      if (text.startsWith("tool") && !hasResults) yield* calls([`call_${requests.length}`, "wait", {}])();
      else if (text.startsWith("ask") && !hasResults) yield* calls([`call_${requests.length}`, "ask", {}])();
      else if (text.startsWith("client") && !hasResults)
        yield* calls([`call_${requests.length}`, CLIENT_TOOL.name, {}])();
      else yield* answer(`answer to ${text}`, text.startsWith("model") ? gate : null, signal);
    },
  };
  const tools = [
    testTool("wait", async (_input, { signal }) => {
      await gate.pass(signal);
      signal.throwIfAborted();
      return "waited";
    }),
    testTool("ask", (_input, context) => context.ask({ question: "Well?", options: [], allowFreeText: true }), {
      asksHuman: true,
    }),
  ];
  return { requests, provider, tools };
}

async function* answer(text: string, gate: Gate | null, signal: AbortSignal): AsyncGenerator<ModelPart> {
  yield { kind: "block_start", block: "text" };
  yield { kind: "text", text: "well, " };
  await gate?.pass(signal);
  if (signal.aborted) {
    yield { kind: "failed", failure: { kind: "aborted" }, usage: null };
    return;
  }
  yield { kind: "text", text };
  yield { kind: "block_stop", block: "text" };
  yield { kind: "done", reason: "stop", usage: USAGE };
}

const textOf = (message: ModelMessage | undefined): string => (message?.role === "user" ? message.text : "");

/** What a request shows, one word for each message: what the user wrote, or the role. */
export const shownIn = (request: ModelRequest | undefined): readonly string[] =>
  (request?.messages ?? []).map((message) => (message.role === "user" ? message.text : message.role));
