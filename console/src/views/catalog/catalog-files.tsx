import type { CatalogFault, ProductRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { formatBytes, formatCount } from "../../parts/format.ts";
import { address, setQuery } from "../../routing/address.ts";
import { type ArchivedFile } from "./archive.ts";
import { type Draft, changeOf, draftOf, draftedFiles, setDraft, withChange } from "./draft.ts";
import { Editor } from "./editor.tsx";
import { beginningOf, pathProblem } from "./new-file.ts";
import { PushBar } from "./push-bar.tsx";

interface CatalogFilesProps {
  readonly product: ProductRecord;
  readonly version: number;
  readonly files: ReadonlyMap<string, ArchivedFile>;
  readonly onPushed: () => void;
}

/** The files of the current version with the changes that are not pushed. The address names the open file. */
export const CatalogFiles = ({ product, version, files, onPushed }: CatalogFilesProps) => {
  const [isNaming, setNaming] = useState(false);
  const [line, setLine] = useState<number | null>(null);
  const draft = draftOf(product);
  const all = draftedFiles(files, draft);
  const open = address.value.query.get("file");
  const write = (path: string, text: string | null) => {
    const next = withChange(draft ?? { version, changes: new Map(), faults: [] }, files, { path, text });
    setDraft(product, next.changes.size === 0 ? null : next);
  };
  const show = (file: string, at: number | null) => (setQuery({ file }), setLine(at));
  return (
    <section aria-labelledby="files">
      <div class="section-head">
        <h2 id="files">Files of version {version}</h2>
        <button type="button" class="small" onClick={() => setNaming(true)}>
          New file
        </button>
      </div>
      <div class="catalog-files">
        <FileList files={files} draft={draft} all={all} open={open} onOpen={(path) => show(path, null)} />
        <OpenFile
          path={open}
          file={open === null ? undefined : all.get(open)}
          faults={(draft?.faults ?? []).filter(({ path }) => path === open)}
          line={line}
          onWrite={write}
        />
      </div>
      {draft !== null && (
        <PushBar
          {...{ product, version, files, draft, onPushed }}
          onFault={({ path, line: at }) => show(path, at ?? 1)}
        />
      )}
      {isNaming && (
        <NameFile
          isTaken={(path) => all.has(path)}
          onClose={() => setNaming(false)}
          onNamed={(path) => {
            setNaming(false);
            write(path, beginningOf(path));
            show(path, 1);
          }}
        />
      )}
    </section>
  );
};

interface FileListProps {
  readonly files: ReadonlyMap<string, ArchivedFile>;
  readonly draft: Draft | null;
  readonly all: ReadonlyMap<string, ArchivedFile>;
  readonly open: string | null;
  readonly onOpen: (path: string) => void;
}

const FileList = ({ files, draft, all, open, onOpen }: FileListProps) => {
  const removed = [...(draft?.changes ?? [])].flatMap(([path, file]) => (file === null ? [path] : []));
  const paths = [...all.keys(), ...removed].toSorted();
  const faultsOf = (path: string) => (draft?.faults ?? []).filter((fault) => fault.path === path).length;
  if (paths.length === 0) return <p class="dim">There is no file yet.</p>;
  return (
    <ul class="file-list" aria-label="Files of the catalog">
      {paths.map((path) => {
        const notes = [
          changeOf(files, draft, path),
          faultsOf(path) > 0 ? `${formatCount(faultsOf(path))} faults` : null,
        ];
        const note = notes.filter((one) => one !== null).join(", ");
        return (
          <li key={path}>
            <button type="button" aria-current={path === open ? "true" : undefined} onClick={() => onOpen(path)}>
              <code>{path}</code>
              {note !== "" && <span class={faultsOf(path) > 0 ? "bad" : "dim"}> {note}</span>}
            </button>
          </li>
        );
      })}
    </ul>
  );
};

interface OpenFileProps {
  readonly path: string | null;
  readonly file: ArchivedFile | undefined;
  readonly faults: readonly CatalogFault[];
  readonly line: number | null;
  readonly onWrite: (path: string, text: string | null) => void;
}

const OpenFile = ({ path, file, faults, line, onWrite }: OpenFileProps) => {
  if (path === null) return <p class="dim">Choose a file to read and change it.</p>;
  if (file === undefined) return <p class="dim">There is no file {path}.</p>;
  return (
    <div class="open-file">
      <div class="section-head">
        <h3>
          <code>{path}</code>
        </h3>
        <button type="button" class="small danger" onClick={() => onWrite(path, null)}>
          Remove file
        </button>
      </div>
      {file.text === null ? (
        <p class="dim">No text, or too large to change here: {formatBytes(file.content.length)}.</p>
      ) : (
        <Editor
          path={path}
          text={file.text}
          faults={faults}
          isReadOnly={false}
          line={line}
          onInput={(text) => onWrite(path, text)}
        />
      )}
    </div>
  );
};

interface NameFileProps {
  readonly isTaken: (path: string) => boolean;
  readonly onClose: () => void;
  readonly onNamed: (path: string) => void;
}

const NameFile = ({ isTaken, onClose, onNamed }: NameFileProps) => {
  const [path, setPath] = useState("agents/");
  const [problem, setProblem] = useState<string | null>(null);
  return (
    <Dialog title="New file" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const wrong = isTaken(path) ? "there is a file of this path" : pathProblem(path);
          setProblem(wrong);
          if (wrong === null) onNamed(path);
        }}
      >
        <TextField
          label="Path"
          value={path}
          onInput={setPath}
          problem={problem}
          hint="Such as agents/tutor.md, skills/grading/SKILL.md, tools/find_book.json, .mcp.json, settings.yaml or core-soul.md."
          isCode
          autoFocus
        />
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Write it
          </button>
        </div>
      </form>
    </Dialog>
  );
};
