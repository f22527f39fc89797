import type { EngineRecord } from "@orchd/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { epoch } from "../../live/connection.ts";
import { asProblem } from "../../parts/problem.ts";
import { productCalls } from "../../session/clients.ts";
import { readableLine } from "./log-line.ts";

const TAIL = 300;
const MAX_LINES = 2000;

/** The engine's log: follows new lines, can be paused and filtered. */
export const EngineLog = ({ engine }: { readonly engine: EngineRecord }) => {
  const { lines, problem } = useLog(engine);
  const [filter, setFilter] = useState("");
  const [pausedAt, setPausedAt] = useState<number | null>(null);
  const box = useRef<HTMLPreElement>(null);
  const text = filter.trim().toLowerCase();
  const all =
    pausedAt === null ? lines.kept : lines.kept.slice(0, Math.max(0, lines.kept.length - (lines.count - pausedAt)));
  const shown = text === "" ? all : all.filter((line) => line.toLowerCase().includes(text));
  useEffect(() => {
    const element = box.current;
    if (element !== null && pausedAt === null) element.scrollTop = element.scrollHeight;
  }, [shown.length, lines.count, pausedAt]);
  const isPaused = pausedAt !== null;
  return (
    <section aria-labelledby="log">
      <header class="section-head">
        <h2 id="log">Log</h2>
        <input
          data-search
          type="search"
          placeholder="Filter lines"
          aria-label="Filter lines"
          value={filter}
          spellcheck={false}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <button type="button" aria-pressed={isPaused} onClick={() => setPausedAt(isPaused ? null : lines.count)}>
          {isPaused ? `Follow${lines.count > pausedAt ? ` (${lines.count - pausedAt} new)` : ""}` : "Pause"}
        </button>
      </header>
      {problem !== null && <p class="dim">{problem}</p>}
      <pre ref={box} class="log" tabIndex={0} aria-label="Log lines">
        {shown.length === 0
          ? lines.kept.length === 0
            ? "The log is empty."
            : "No line fits this filter."
          : shown.join("\n")}
      </pre>
    </section>
  );
};

interface LogLines {
  /** The last lines. */
  readonly kept: readonly string[];
  /** All lines that were read. */
  readonly count: number;
}

/** Reads the log from its last lines on. After a lost connection it is read anew. */
function useLog({ product_id, user_id, id }: EngineRecord): {
  readonly lines: LogLines;
  readonly problem: string | null;
} {
  const [lines, setLines] = useState<LogLines>({ kept: [], count: 0 });
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    let pending: string[] = [];
    const flush = () => {
      const added = pending;
      pending = [];
      if (!abort.signal.aborted)
        setLines(({ kept, count }) => ({ kept: [...kept, ...added].slice(-MAX_LINES), count: count + added.length }));
    };
    const follow = async () => {
      setLines({ kept: [], count: 0 });
      setProblem(null);
      for await (const line of productCalls(product_id).logs(user_id, {
        tail: TAIL,
        follow: true,
        signal: abort.signal,
      })) {
        if (pending.push(readableLine(line)) === 1) requestAnimationFrame(flush);
      }
    };
    follow().catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(`The log is not followed: ${asProblem(error).message}`);
    });
    return () => abort.abort();
  }, [id, epoch.value]);
  return { lines, problem };
}
