import { type AgentSubscriber, HttpAgent } from "@ag-ui/client";
import type { TestEngine } from "../../../helpers/engine.ts";

// Tests look into whatever came; a wrong shape fails the comparison.
// oxlint-disable-next-line typescript/no-explicit-any
type Received = any;

/** The protocol's own client, which refuses events in a wrong order, with everything that it received. */
export function agentOf({ url, key }: Pick<TestEngine, "url" | "key">, threadId: string) {
  const agent = new HttpAgent({ url: `${url}/ag-ui`, threadId, headers: { Authorization: `Bearer ${key}` } });
  const events: Received[] = [];
  const watcher: AgentSubscriber = { onEvent: ({ event }) => void events.push(event) };
  agent.subscribe(watcher);
  return {
    agent,
    events,
    say: (content: string | object[], id: string = crypto.randomUUID()): string => {
      agent.addMessage({ id, role: "user", content } as never);
      return id;
    },
    /** Gives the result of a call of the client's tool. */
    result: (toolCallId: string, result: { readonly output: unknown } | { readonly error: string }): void => {
      const content = "output" in result ? JSON.stringify(result.output) : result.error;
      const error = "error" in result ? { error: result.error } : {};
      agent.addMessage({ id: `${toolCallId}.own`, role: "tool", toolCallId, content, ...error } as never);
    },
    last: (): Received => events.at(-1),
  };
}
