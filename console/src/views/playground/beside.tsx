import type { EngineClient } from "@orchd/client";
import type { Signal } from "@preact/signals";
import { useResource } from "../../live/resource.ts";
import { Copy } from "../../parts/copy.tsx";
import { ContextBar } from "../turns/context-bar.tsx";
import { type TurnOptions } from "./choice.ts";
import { stepsOf } from "./exchange.ts";
import { REQUEST_FORMS } from "./request-forms.ts";
import type { Side } from "./use-side.ts";

interface BesideProps {
  readonly url: string;
  readonly calls: EngineClient;
  readonly side: Side;
  readonly options: TurnOptions;
  readonly draft: Signal<string>;
}

/** What stands beside a conversation: what fills its context window, and the next message as a call. */
export const Beside = (props: BesideProps) => (
  <aside class="beside" aria-label="Context and request">
    <Context calls={props.calls} side={props.side} />
    <Request {...props} />
  </aside>
);

/** Of the last model call of the last turn. */
const Context = ({ calls, side: { conversation } }: Pick<BesideProps, "calls" | "side">) => {
  const last = conversation.exchanges.findLast(({ turnId }) => turnId !== null);
  const turnId = last?.turnId ?? null;
  const steps = last === undefined ? null : stepsOf(last);
  // Each step but the last one had a call that has ended.
  const { data } = useResource(
    async (signal) => (turnId === null ? null : calls.modelRequests(turnId, { signal })),
    [turnId, steps?.steps.length, steps?.isOver],
  );
  const call = data?.requests.findLast(({ purpose, agent }) => purpose === "turn" && agent === data.requests[0]?.agent);
  return (
    <section class="panel">
      <h2>Context window</h2>
      {call === undefined ? (
        <p class="dim">It is shown after the first answer, and kept for 24 hours.</p>
      ) : (
        <>
          <p class="dim">
            <code>{call.model}</code>
          </p>
          <ContextBar call={call} />
        </>
      )}
    </section>
  );
};

/** The key is not in it: the page has none. */
const Request = ({ url, side, options, draft }: BesideProps) => {
  const message = draft.value.trim() === "" ? "What can you do?" : draft.value;
  const call = { url, taskId: side.task, message, ...options };
  return (
    <section class="panel" aria-label="Request">
      <h2>Request</h2>
      {Object.entries(REQUEST_FORMS).map(([name, form]) => (
        <details key={name} open={name !== "Python"}>
          <summary>{name}</summary>
          <pre class="log" tabIndex={0} aria-label={`The request by ${name}`}>
            {form(call)}
          </pre>
          <Copy text={form(call)} />
        </details>
      ))}
      <p class="dim">
        <code>ENGINE_KEY</code> or <code>engineKey</code> is the engine's key, which <code>provision</code> or{" "}
        <code>rotate-key</code> returned.
      </p>
    </section>
  );
};
