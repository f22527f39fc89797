import Anthropic from "@anthropic-ai/sdk";
import type { TestEngine } from "../../../helpers/engine.ts";

type Stream = Awaited<ReturnType<Anthropic["beta"]["sessions"]["events"]["stream"]>>;
export type StreamEvent = Stream extends AsyncIterable<infer Event> ? Event : never;

export const ENVIRONMENT = "env_workspace";
export const message = (text: string) => ({
  type: "user.message" as const,
  content: [{ type: "text" as const, text }],
});
export const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

type OnAction = (ids: readonly string[]) => Promise<unknown>;

/** Reads to the event that ends the turn. `onAction` gets what the turn waits for. */
export async function readTurn(stream: Stream, onAction?: OnAction): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (event.type !== "session.status_idle") continue;
    if (event.stop_reason.type !== "requires_action") break;
    await onAction?.(event.stop_reason.event_ids);
  }
  return events;
}

/** Sessions of an engine by the client of the SDK. */
export function managedClient({ url, key }: Pick<TestEngine, "url" | "key">) {
  const client = new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
  const { sessions } = client.beta;
  return {
    client,
    sessions,
    newSession: (more: object = {}) => sessions.create({ agent: "default", environment_id: ENVIRONMENT, ...more }),
    listed: (id: string, query = {}) => Array.fromAsync(sessions.events.list(id, query)),
    say: async (id: string, text: string, onAction?: OnAction) => {
      const stream = await sessions.events.stream(id);
      await sessions.events.send(id, { events: [message(text)] });
      return readTurn(stream, onAction);
    },
  };
}
