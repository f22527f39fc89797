import type { AuditLine } from "@orchd/client";
import { useEffect, useState } from "preact/hooks";
import { slugOf } from "../../live/fleet.ts";
import { asProblem } from "../../parts/problem.ts";
import { epoch } from "../../live/connection.ts";
import { Copy } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock } from "../../parts/time.tsx";
import { address, linkTo, setQuery } from "../../routing/address.ts";
import type { OrchdError } from "@orchd/client";
import { parseEntry } from "./audit-entry.ts";
import { type AuditState, NOTHING_READ, readAudit } from "./read-audit.ts";

const COLUMNS: readonly Column<AuditLine>[] = [
  { title: "Line", kind: "number", cell: ({ seq }) => seq },
  { title: "Time", cell: ({ entry }) => <Clock at={parseEntry(entry).at} /> },
  { title: "By", isExtra: true, cell: ({ entry }) => parseEntry(entry).actor },
  { title: "Action", cell: ({ entry }) => <code>{parseEntry(entry).action}</code> },
  { title: "Subject", isExtra: true, cell: ({ entry }) => <Subject entry={entry} /> },
  {
    title: "Detail",
    kind: "wide",
    isRare: true,
    cell: ({ entry }) => <code class="dim">{parseEntry(entry).detail}</code>,
  },
  { title: "Hash", cell: ({ hash }) => <code title={hash}>{hash.slice(0, 8)}</code> },
];

const Subject = ({ entry }: { readonly entry: string }) => {
  const { engine_id, product_id } = parseEntry(entry);
  if (engine_id !== null) return <a href={linkTo(`/engines/${engine_id}`)}>{engine_id.slice(0, 12)}…</a>;
  return product_id === null ? <>host</> : <a href={linkTo(`/products/${slugOf(product_id)}`)}>{slugOf(product_id)}</a>;
};

/** Who changed what. The browser checks the hash chain itself. */
export const Audit = () => {
  const [state, setState] = useState<AuditState>(NOTHING_READ);
  const [problem, setProblem] = useState<OrchdError | null>(null);
  const [reads, setReads] = useState(0);
  const again = () => setReads((count) => count + 1);
  useEffect(() => {
    const abort = new AbortController();
    setProblem(null);
    setState(NOTHING_READ);
    readAudit(setState, abort.signal).catch((error: unknown) => {
      if (!abort.signal.aborted) setProblem(asProblem(error));
    });
    return () => abort.abort();
  }, [reads, epoch.value]);
  const text = address.value.query.get("q") ?? "";
  const shown = state.lines.filter(({ entry }) => entry.toLowerCase().includes(text.trim().toLowerCase()));
  return (
    <>
      <h1>Audit log</h1>
      <ChainResult state={state} onAgain={again} />
      {problem !== null && <ProblemNote problem={problem} onRetry={again} />}
      <div class="controls" role="search">
        <SearchField placeholder="Search lines" value={text} onInput={(q) => setQuery({ q })} />
      </div>
      {shown.length > 0 ? (
        <Table label="Audit log" columns={COLUMNS} rows={shown} keyOf={({ seq }) => seq} />
      ) : (
        state.isComplete && <Empty title={text === "" ? "Nothing was changed yet." : "No line fits this search."} />
      )}
    </>
  );
};

const ChainResult = ({ state, onAgain }: { readonly state: AuditState; readonly onAgain: () => void }) => {
  const { head, checked, broken, isComplete } = state;
  if (broken !== null)
    return (
      <div class="callout problem" role="alert">
        <p>
          <b>The chain is broken.</b> {broken} {formatCount(checked)} lines before it are intact.
        </p>
        <p>
          Compare with a head that was recorded elsewhere: <code>orchctl audit verify</code>
        </p>
      </div>
    );
  return (
    <div class={`callout chain ${isComplete ? "good" : ""}`} role="status">
      <p>
        {isComplete ? (
          <>
            <b>The chain is intact.</b> This browser has checked {formatCount(checked)} lines.
          </>
        ) : (
          <>Checking the chain: {formatCount(checked)} lines</>
        )}
      </p>
      {isComplete && head !== null && (
        <p>
          <span class="dim">Head</span>{" "}
          <code class="head">
            {head.seq}:{head.hash}
          </code>{" "}
          <Copy text={`${head.seq}:${head.hash}`} />{" "}
          <button type="button" class="small" onClick={onAgain}>
            Check again
          </button>
        </p>
      )}
    </div>
  );
};
