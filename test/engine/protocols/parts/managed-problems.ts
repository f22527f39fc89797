import type Anthropic from "@anthropic-ai/sdk";
import type { StreamEvent } from "./managed-client.ts";
import type { RandomTurn } from "./random-turns.ts";

type SessionEvent = Anthropic.Beta.Sessions.BetaManagedAgentsSessionEvent;

const textOf = (event: { readonly content: readonly { readonly type: string }[] }) =>
  event.content.map((block) => ("text" in block ? String(block.text) : "")).join("");

/** What is wrong with the events of a turn: their order, what they refer to, and what the script has said. */
export function problemsOf(
  turn: RandomTurn,
  streamed: readonly StreamEvent[],
  list: readonly SessionEvent[],
): readonly string[] {
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string) => (holds ? undefined : problems.push(problem));
  const events = streamed.filter(
    (event): event is Exclude<StreamEvent, { type: "event_start" | "event_delta" }> => "id" in event,
  );
  const ids = new Set<string>();
  const previews = new Map<string, string>();
  for (const event of streamed) {
    if (event.type === "event_start") previews.set(event.event.id, "");
    else if (event.type === "event_delta")
      previews.set(event.event_id, `${previews.get(event.event_id)}${event.delta.content.text}`);
    else {
      expect(!ids.has(event.id), `${event.id} comes twice`);
      for (const [name, of] of Object.entries(event))
        if (REFERENCES.has(name)) expect(ids.has(String(of)), `${event.type}.${name}: ${String(of)} has not come`);
      if (event.type === "session.status_idle" && event.stop_reason.type === "requires_action")
        for (const id of event.stop_reason.event_ids) expect(ids.has(id), `requires_action: ${id} has not come`);
      expect(!Number.isNaN(Date.parse(String(event.processed_at))), `${event.id} has no time`);
      ids.add(event.id);
      if (event.type === "agent.message") expect(previews.get(event.id) === textOf(event), `${event.id}: its preview`);
    }
  }
  expect(
    JSON.stringify(list) === JSON.stringify(events.filter(({ id }) => list.some((one) => one.id === id))),
    "the list has other events than the stream, or in another order",
  );
  const left = events.filter(({ id }) => !list.some((one) => one.id === id));
  expect(
    left.every(({ type }) => type === "session.status_idle"),
    `the list leaves out ${left.map(({ type }) => type).join(", ")}`,
  );
  const texts = events.flatMap((event) => (event.type === "agent.message" ? [textOf(event)] : []));
  expect(JSON.stringify(texts) === JSON.stringify(turn.texts), `texts: ${JSON.stringify(texts)}`);
  const thoughts = events.filter(({ type }) => type === "agent.thinking").length;
  expect(thoughts === turn.thoughts.length, `${thoughts} thoughts instead of ${turn.thoughts.length}`);
  const count = (type: string) => events.filter((event) => event.type === type).length;
  expect(count("span.model_request_start") === count("span.model_request_end"), "a model request without its end");
  expect(count("agent.tool_use") === count("agent.tool_result"), "a call without its result");
  const last = events.at(-1);
  const reason = last?.type === "session.status_idle" ? last.stop_reason.type : "";
  const failed = turn.error !== null && turn.error !== "CANCELLED";
  expect(reason === (failed ? "retries_exhausted" : "end_turn"), `ends with ${reason}`);
  expect((count("user.interrupt") === 1) === (turn.error === "CANCELLED"), "the interrupt");
  expect((count("session.error") === 1) === failed, "the error");
  return problems;
}

const REFERENCES: ReadonlySet<string> = new Set([
  "tool_use_id",
  "mcp_tool_use_id",
  "custom_tool_use_id",
  "model_request_start_id",
]);
