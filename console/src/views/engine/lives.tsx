import type { EngineRecord, EventRecord } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { onEvents } from "../../live/events.ts";
import { useResource } from "../../live/resource.ts";
import { Empty } from "../../parts/empty.tsx";
import { EventTable } from "../events/event-table.tsx";
import { formatDuration } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { groupOf } from "../../parts/state-badge.tsx";
import { now } from "../../parts/time.tsx";
import { productCalls } from "../../session/clients.ts";
import { type Phase, phasesOf } from "./lives-of-events.ts";

/** Enough for the last few days of most engines. */
const EVENTS = 100;
/** The page shows these first, so that it ends where a person looks. */
const FIRST = 8;

/** When the engine was in which state, and the events that say so. */
export const Lives = ({ engine }: { readonly engine: EngineRecord }) => {
  const { id, product_id, user_id } = engine;
  const [isWhole, setWhole] = useState(false);
  const { data, problem, reload } = useResource(
    async (signal) => {
      const found: EventRecord[] = [];
      for await (const event of productCalls(product_id).listEvents({ userId: user_id, pageSize: EVENTS, signal })) {
        if (event.engine_id === id) found.push(event);
        if (found.length === EVENTS) break;
      }
      return found;
    },
    [id],
  );
  useEffect(() => onEvents((events) => events.some(({ engine_id }) => engine_id === id) && reload()), [id]);
  return (
    <section aria-labelledby="lives">
      <h2 id="lives">Lives and events</h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null && data.length === 0 && <Empty title="No event of this engine is stored any more." />}
      {data !== null && data.length > 0 && (
        <>
          <Timeline phases={phasesOf(data)} />
          <EventTable label="Events of this engine" events={isWhole ? data : data.slice(0, FIRST)} />
          {!isWhole && data.length > FIRST && (
            <button type="button" class="small" onClick={() => setWhole(true)}>
              All {data.length} events
            </button>
          )}
        </>
      )}
    </section>
  );
};

const Timeline = ({ phases }: { readonly phases: readonly Phase[] }) => {
  const fromMs = phases[0]?.fromMs ?? now.value;
  const span = Math.max(1, now.value - fromMs);
  return (
    <div class="timeline">
      <div class="timeline-bar" role="img" aria-label={phases.map(nameOf).join(", ")}>
        {phases.map((phase) => (
          <span
            key={phase.fromMs}
            class={groupOf(phase.state)}
            title={nameOf(phase)}
            style={{ flexGrow: Math.max(0.002, ((phase.toMs ?? now.value) - phase.fromMs) / span) }}
          />
        ))}
      </div>
      <div class="plot-times" aria-hidden="true">
        <span>{formatDuration(span / 1000)} ago</span>
        <span>now</span>
      </div>
    </div>
  );
};

const nameOf = ({ state, fromMs, toMs }: Phase): string =>
  `${state.replace("_", " ")} for ${formatDuration(((toMs ?? now.value) - fromMs) / 1000)}`;
