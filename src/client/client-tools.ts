import type { EngineEventData } from "./record-types.ts";
import type { ExecuteRequest, PendingToolCall } from "./records.ts";
import { OrchdError } from "./orchd-error.ts";

/** A tool that this program runs for the agent. */
export interface ClientTool {
  /** What the tool does, for the model. Left out together with `inputSchema` for a tool that the catalog declares. */
  readonly description?: string | undefined;
  /** JSON Schema of the arguments, an object. An object without properties if left out. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** JSON Schema of the output. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** Returns the output, any JSON. What it throws is the error that the model sees. */
  readonly run: (input: Readonly<Record<string, unknown>>, call: ClientToolCall) => unknown;
}

export interface ClientToolCall {
  /** The same when a call is run again, after this program was restarted before it had answered. */
  readonly toolCallId: string;
  /** Aborted when no answer is needed any more: the call expired, the turn ended, or its reader left. */
  readonly signal: AbortSignal;
}

/** By their names. */
export type ClientTools = Readonly<Record<string, ClientTool>>;

export type ClientToolAnswer = { readonly output: unknown } | { readonly error: string };

/** What `execute` sends of them. The catalog's own tools are not in it. */
export const toolDefinitions = (tools: ClientTools = {}): ExecuteRequest["client_tools"] => {
  const sent = Object.entries(tools).flatMap(([name, { description, inputSchema, outputSchema }]) =>
    description === undefined
      ? []
      : [
          {
            name,
            description,
            input_schema: inputSchema ?? { type: "object" },
            ...(outputSchema !== undefined && { output_schema: outputSchema }),
          },
        ],
  );
  return sent.length > 0 ? sent : undefined;
};

interface Parts {
  readonly tools: ClientTools | undefined;
  readonly pending: () => Promise<readonly PendingToolCall[]>;
  readonly respond: (toolCallId: string, answer: ClientToolAnswer) => Promise<void>;
  /** Called when an answer cannot be sent. */
  readonly fail: (error: unknown) => void;
}

type Call = Pick<EngineEventData["tool_call"], "tool" | "tool_call_id" | "input">;

/** The longest error that an engine takes. */
const MAX_ERROR = 100_000;

/** Runs the calls of one turn while its reader continues to read: each once, whatever is replayed. */
export class ClientToolRunner {
  readonly #parts: Parts;
  readonly #calls = new Map<string, AbortController>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Runs the turn's open calls, whose events its reader may not get again. */
  resume(turnId: string | null): void {
    const { tools, pending, fail } = this.#parts;
    if (tools === undefined || turnId === null) return;
    const take = async () => {
      for (const call of await pending()) if (call.turn_id === turnId) this.run(call, { replayed: false });
    };
    take().catch(fail);
  }

  /** `replayed`: the call may have an answer already, so it runs only if it is still pending. */
  run(call: Call, { replayed }: { readonly replayed: boolean }): void {
    const { tools = {}, fail } = this.#parts;
    const { tool_call_id: id } = call;
    const tool = Object.hasOwn(tools, call.tool) ? tools[call.tool] : undefined;
    if (tool === undefined || this.#calls.has(id)) return;
    const settled = new AbortController();
    this.#calls.set(id, settled);
    this.#answer(tool, call, { settled: settled.signal, replayed }).catch((error: unknown) => {
      // The call expired, its turn ended, or another client answered: its result reports it.
      if (!settled.signal.aborted && !hasCode(error, "TOOL_ALREADY_ANSWERED")) fail(error);
    });
  }

  /** The call has its result. */
  settled(toolCallId: string): void {
    this.#calls.get(toolCallId)?.abort();
  }

  close(): void {
    for (const call of this.#calls.values()) call.abort();
  }

  async #answer(
    tool: ClientTool,
    { tool_call_id: id, input }: Call,
    { settled, replayed }: { readonly settled: AbortSignal; readonly replayed: boolean },
  ): Promise<void> {
    const { pending, respond } = this.#parts;
    if (replayed && !(await pending()).some(({ tool_call_id }) => tool_call_id === id)) return;
    if (settled.aborted) return;
    const answer = await answerOf(tool, input, {
      toolCallId: id,
      signal: settled,
    });
    if (settled.aborted) return;
    try {
      await respond(id, answer);
    } catch (error) {
      // Refused by the tool's output schema or for its size: the model can call again.
      if (!hasCode(error, "INVALID_REQUEST", "PAYLOAD_TOO_LARGE") || "error" in answer) throw error;
      await respond(id, { error: `the client's output was refused: ${(error as OrchdError).message}` });
    }
  }
}

async function answerOf(
  tool: ClientTool,
  input: Readonly<Record<string, unknown>>,
  call: ClientToolCall,
): Promise<ClientToolAnswer> {
  try {
    const output: unknown = await tool.run(input, call);
    // Here, so that a value which is no JSON is an error of the tool.
    return { output: JSON.parse(JSON.stringify(output) ?? "null") as unknown };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: message.slice(0, MAX_ERROR).toWellFormed() || "the tool failed" };
  }
}

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof OrchdError && codes.includes(error.code);
