import type { PendingRequest, PendingToolCall } from "./records.ts";
import { type ClientToolAnswer, ClientToolRunner, type ClientTools } from "./client-tools.ts";
import * as routes from "./engine-routes.ts";
import type { StreamPosition } from "./engine-stream.ts";
import type { CallOptions } from "./http-call.ts";
import { HumanResponder, type OnHuman } from "./human-responder.ts";
import type { Calls } from "./route.ts";
import { LinkedAbort } from "./timeouts.ts";
import type { TurnReading } from "./turn.ts";
import type { TurnEvent } from "./turn-event.ts";

/** The calls that answer what turns wait for. */
export const answerCalls = ({ call }: Calls) => ({
  /** Open requests to a human. */
  pending: async (given: CallOptions = {}): Promise<readonly PendingRequest[]> =>
    (await call(routes.pending, given)).requests,

  /** Answers a request. Repeating the same answer is no error. */
  async respond(requestId: string, answer: string, given: CallOptions = {}): Promise<void> {
    await call(routes.respond, { ...given, requestId, answer });
  },

  /** Calls of tools that wait for a client. */
  pendingTools: async (given: CallOptions = {}): Promise<readonly PendingToolCall[]> =>
    (await call(routes.pendingTools, given)).calls,

  /** Answers a call of a tool. Repeating the same answer is no error. */
  async respondTool(toolCallId: string, answer: ClientToolAnswer, given: CallOptions = {}): Promise<void> {
    await call(routes.respondTool, {
      ...given,
      toolCallId,
      ...(answer as Omit<routes.RespondToolParams, "toolCallId">),
    });
  },
});

/** What answers a turn while it is read. */
export interface Answering {
  readonly signal?: AbortSignal | undefined;
  /** Answers the agent's questions. Without it they stay open for `respond` or another client. */
  readonly onHuman?: OnHuman | undefined;
  /** Tools that this program runs for the agent, by their names. `resume` takes them with `run` alone. */
  readonly clientTools?: ClientTools | undefined;
}

/** Opens a turn for its reader. An answer that cannot be sent ends the reading with its error. */
export function openReading(
  answers: ReturnType<typeof answerCalls>,
  { signal, onHuman, clientTools }: Answering,
  {
    position,
    events,
  }: {
    readonly position: Readonly<StreamPosition>;
    readonly events: (signal: AbortSignal) => AsyncIterable<TurnEvent>;
  },
): TurnReading {
  const abort = new LinkedAbort(signal);
  const fail = (error: unknown) => abort.abort(error);
  const humans = new HumanResponder({
    onHuman,
    pending: () => answers.pending({ signal: abort.signal }),
    respond: (requestId, answer) => answers.respond(requestId, answer, { signal: abort.signal }),
    fail,
  });
  const tools = new ClientToolRunner({
    tools: clientTools,
    pending: () => answers.pendingTools({ signal: abort.signal }),
    respond: (toolCallId, answer) => answers.respondTool(toolCallId, answer, { signal: abort.signal }),
    fail,
  });
  return {
    events: events(abort.signal),
    humans,
    tools,
    isReplayed: () => position.replayed,
    close: () => abort.dispose(),
  };
}
