import type { ModelRequestRecord, ModelRequestSummary } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { Copy } from "../../parts/copy.tsx";
import { NONE, formatBytes, formatCount } from "../../parts/format.ts";
import { JsonTree } from "../../parts/json-tree.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { engineCalls } from "../../session/clients.ts";
import { ContextBar } from "./context-bar.tsx";
import { formatMs } from "./format-ms.ts";

interface CallProps {
  readonly engine: string;
  readonly turn: string;
  readonly call: ModelRequestSummary;
}

/** A model call: its numbers, its context window and its request as it was sent. */
export const CallDetail = ({ engine, turn, call }: CallProps) => {
  const { usage, cache_share: cached, first_token_ms: first, tries, outcome, reason } = call;
  const facts: readonly (readonly [string, string])[] = [
    ["Ended", outcome === "completed" ? reason : `${outcome}: ${reason}`],
    ["Time", formatMs(call.duration_ms)],
    ["First output", first === null ? NONE : formatMs(first)],
    ["Input", formatCount(usage?.input_tokens)],
    ["Output", formatCount(usage?.output_tokens)],
    ["Cached", cached === null ? NONE : `${Math.round(cached * 100)} %`],
    ["Sent", tries === 1 ? "once" : `${tries} times`],
  ];
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ContextBar call={call} />
      <RequestSent key={call.number} engine={engine} turn={turn} call={call} />
    </>
  );
};

const RequestSent = ({ engine, turn, call: { number } }: CallProps) => {
  const { data, problem, reload } = useResource(
    (signal) => engineCalls(engine).modelRequest(turn, number, { signal }),
    [engine, turn, number],
  );
  return (
    <section aria-label="Request as it was sent">
      <header class="section-head">
        <h3>Request as it was sent</h3>
        {data !== null && <Copy text={textOf(data)} />}
      </header>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null && (
        <>
          <p class="dim">
            {data.method === null ? (
              "The sandbox model sends nothing; this is what it was asked."
            ) : (
              <code>{`${data.method} ${data.path}`}</code>
            )}{" "}
            {formatBytes(data.body_bytes)}
            {data.truncated && ", cut after 1 MiB"}
          </p>
          {Object.keys(data.headers).length > 0 && <JsonTree name="headers" value={data.headers} open={0} />}
          <JsonTree name="body" value={data.body} open={1} />
        </>
      )}
    </section>
  );
};

const textOf = ({ body }: ModelRequestRecord): string =>
  typeof body === "string" ? body : JSON.stringify(body ?? null, null, 2);
