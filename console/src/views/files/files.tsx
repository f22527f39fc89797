import type { FileEntry } from "@orchd/client";
import { useState } from "preact/hooks";
import { engineById } from "../../live/engine.ts";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Empty } from "../../parts/empty.tsx";
import { NONE, formatBytes } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Clock } from "../../parts/time.tsx";
import { address, linkTo } from "../../routing/address.ts";
import { engineCalls } from "../../session/clients.ts";
import { NoEngine } from "../engine/no-engine.tsx";
import type { ViewProps } from "../view.ts";
import { FileActions } from "./file-actions.tsx";
import { Preview } from "./preview.tsx";

/** The files of an engine's workspace: `path` of the address is the folder, `file` what is shown of it. */
export const Files = ({ params }: ViewProps) => {
  const id = params["engine"] ?? "";
  const { query } = address.value;
  const [path, file] = [query.get("path") ?? "", query.get("file")];
  const calls = engineCalls(id);
  const { data, problem, reload } = useResource((signal) => calls.files.list({ path, signal }), [id, path]);
  const [removed, setRemoved] = useState<FileEntry | null>(null);
  const { isBusy, run } = useAction();
  if (engineById(id) === null) return <NoEngine />;
  const remove = async (entry: FileEntry) => {
    await run(() => calls.files.remove(entry.path, { recursive: entry.type === "folder" }));
    setRemoved(null);
    reload();
  };
  return (
    <>
      <div class="controls">
        <Crumbs engine={id} path={path} />
        <FileActions engine={id} path={path} onChange={reload} />
      </div>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data !== null && data.entries.length === 0 && <Empty title="This folder is empty." />}
      {data !== null && data.entries.length > 0 && (
        <Table label="Files" columns={columnsOf(id, path, setRemoved)} rows={data.entries} keyOf={(one) => one.path} />
      )}
      {data?.truncated === true && <p class="dim">The first {data.entries.length} entries are shown.</p>}
      {file !== null && <Preview key={file} engine={id} path={file} />}
      {removed !== null && (
        <Confirm
          title="Remove it?"
          action="Remove"
          isBusy={isBusy}
          onConfirm={() => void remove(removed)}
          onClose={() => setRemoved(null)}
        >
          <p>
            <bdi>{removed.path}</bdi>
            {removed.type === "folder" && " with everything in it"} is removed from the workspace.
          </p>
        </Confirm>
      )}
    </>
  );
};

const placeOf = (engine: string, path: string, file?: string): string =>
  linkTo(`/engines/${engine}/files?${new URLSearchParams({ path, ...(file !== undefined && { file }) }).toString()}`);
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

const Crumbs = ({ engine, path }: { readonly engine: string; readonly path: string }) => {
  const names = path === "" ? [] : path.split("/");
  return (
    <nav aria-label="Folder">
      <a href={placeOf(engine, "")}>workspace</a>
      {names.map((name, at) => (
        <span key={at}>
          {" / "}
          <a href={placeOf(engine, names.slice(0, at + 1).join("/"))}>
            <bdi>{name}</bdi>
          </a>
        </span>
      ))}
    </nav>
  );
};

const columnsOf = (
  engine: string,
  folder: string,
  onRemove: (entry: FileEntry) => void,
): readonly Column<FileEntry>[] => [
  {
    title: "Name",
    kind: "wide",
    cell: ({ path, type }) => {
      const name = <bdi>{nameOf(path)}</bdi>;
      if (type === "folder") return <a href={placeOf(engine, path)}>{name}/</a>;
      return type === "file" ? (
        <a href={placeOf(engine, folder, path)}>{name}</a>
      ) : (
        <>
          {name} ({type})
        </>
      );
    },
  },
  { title: "Size", kind: "number", cell: ({ bytes }) => (bytes === null ? NONE : formatBytes(bytes)) },
  { title: "Changed", isExtra: true, cell: ({ modified_at: at }) => <Clock at={at} /> },
  {
    title: "Actions",
    kind: "actions",
    cell: (entry) => (
      <button type="button" class="quiet" aria-label={`Remove ${nameOf(entry.path)}`} onClick={() => onRemove(entry)}>
        Remove
      </button>
    ),
  },
];
