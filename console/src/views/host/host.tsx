import type { BackupList, HostCheck } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { useAction } from "../../parts/action.ts";
import { Command } from "../../parts/copy.tsx";
import { Empty } from "../../parts/empty.tsx";
import { formatBytes, formatCount } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Ago } from "../../parts/time.tsx";
import { admin } from "../../session/clients.ts";
import { may } from "../../session/session.ts";

/** What is wrong with the host and what helps, and its backups. */
export const Host = () => (
  <>
    <h1>Host</h1>
    <Checks />
    <Backups />
  </>
);

const COLOURS = { ok: "running", warning: "changing", problem: "failed" } as const;
const ORDER = ["problem", "warning", "ok"];

const Checks = () => {
  const { data, problem, reload } = useResource(async (signal) => (await admin.doctor({ signal })).checks, []);
  const { isBusy, run } = useAction();
  const again = () => void run(() => Promise.resolve(reload()), "The host is checked.");
  const sorted = data?.toSorted((left, right) => ORDER.indexOf(left.status) - ORDER.indexOf(right.status));
  return (
    <section aria-labelledby="doctor">
      <div class="section-head">
        <h2 id="doctor">Doctor</h2>
        <button type="button" class="small" disabled={isBusy} onClick={again}>
          Check again
        </button>
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {sorted === undefined && problem === null && (
        <p class="dim" aria-busy="true">
          Checking the host
        </p>
      )}
      {sorted !== undefined && (
        <ul class="checks" aria-label="Checks">
          {sorted.map((check) => (
            <Check key={check.name} check={check} />
          ))}
        </ul>
      )}
    </section>
  );
};

const Check = ({ check: { name, status, message, fix } }: { readonly check: HostCheck }) => (
  <li class="host-check">
    <span class={`state ${COLOURS[status]}`}>
      <span class="dot" aria-hidden="true" />
      {status}
    </span>
    <code>{name}</code>
    <div>
      <p>{message}</p>
      {fix !== null && <Command text={fix} />}
    </div>
  </li>
);

const REFRESH_MS = 3000;

const BACKUPS: readonly Column<BackupList["data"][number]>[] = [
  { title: "Backup", kind: "wide", cell: ({ name }) => <code>{name}</code> },
  { title: "Started", cell: ({ created_at }) => <Ago at={created_at} /> },
  { title: "Size", kind: "number", cell: ({ bytes }) => formatBytes(bytes) },
  { title: "Encrypted", isExtra: true, cell: ({ encrypted }) => (encrypted ? "yes" : "no") },
];

const Backups = () => {
  const { data, problem, reload } = useResource((signal) => admin.listBackups({ signal }), []);
  usePolling(reload, REFRESH_MS);
  const { isBusy, run } = useAction();
  const create = async () => {
    await run(() => admin.createBackup(), "A backup has started.");
    reload();
  };
  const running = data?.running ?? null;
  return (
    <section aria-labelledby="backups">
      <div class="section-head">
        <h2 id="backups">Backups</h2>
        {may("admin") && (
          <button type="button" class="small" disabled={isBusy || running !== null} onClick={() => void create()}>
            Back up now
          </button>
        )}
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {running !== null && (
        <p role="status">
          <code>{running.name}</code> runs: {formatCount(running.engines.done)} of {formatCount(running.engines.total)}{" "}
          engines.
        </p>
      )}
      {data?.last?.outcome === "failed" && <p class="field-problem">The last backup failed: {data.last.reason}</p>}
      {data !== null &&
        (data.data.length > 0 ? (
          <>
            <Table label="Backups" columns={BACKUPS} rows={data.data} keyOf={({ name }) => name} />
            <p class="dim">
              In <code>{data.dir}</code> on the daemon's machine. <code>orchctl backup restore</code> makes a host of
              one.
            </p>
          </>
        ) : (
          <Empty title="There is no backup." command="orchctl backup create" />
        ))}
    </section>
  );
};
