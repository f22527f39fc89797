import { useId, useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { TextField } from "../../parts/field.tsx";
import { notify } from "../../parts/notices.tsx";
import { asProblem } from "../../parts/problem.ts";
import { productCalls } from "../../session/clients.ts";

interface AddDocumentsProps {
  readonly product: string;
  /** Paths that have a document, which would be replaced. */
  readonly known: ReadonlySet<string>;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

interface Refused {
  readonly path: string;
  readonly reason: string;
}

/** Uploads files one after the other, and says which were refused and why. */
export const AddDocuments = ({ product, known, onChange, onClose }: AddDocumentsProps) => {
  const id = useId();
  const [folder, setFolder] = useState("");
  const [files, setFiles] = useState<readonly File[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly Refused[]>([]);
  const prefix = folder.replace(/^\/+|\/+$/g, "");
  const pathOf = ({ name }: File) => (prefix === "" ? name : `${prefix}/${name}`);
  const replaced = files.map(pathOf).filter((path) => known.has(path));
  const add = async () => {
    setBusy(true);
    const wrong: Refused[] = [];
    for (const file of files) {
      const path = pathOf(file);
      try {
        await productCalls(product).knowledge.put(path, file);
      } catch (error) {
        wrong.push({ path, reason: asProblem(error).message });
      }
    }
    setBusy(false);
    setRefused(wrong);
    onChange();
    const stored = files.length - wrong.length;
    if (stored > 0) notify("done", stored === 1 ? "A document is stored." : `${stored} documents are stored.`);
    if (wrong.length === 0) onClose();
  };
  return (
    <Dialog title="Add documents" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div class="field">
          <label for={id}>Files</label>
          <input
            id={id}
            type="file"
            multiple
            accept=".md,.markdown,.txt,.text,.html,.htm,.pdf"
            aria-describedby={`${id}-hint`}
            onChange={({ currentTarget }) => {
              setFiles([...(currentTarget.files ?? [])]);
              setRefused([]);
            }}
          />
          <p id={`${id}-hint`} class="hint">
            Markdown, text, HTML or PDF with a text layer, up to 16 MiB each. Every user can have them quoted.
          </p>
        </div>
        <TextField
          label="Folder"
          value={folder}
          onInput={setFolder}
          placeholder="help"
          hint="Before the names of the files; answers cite it. It may be empty."
          isCode
        />
        {replaced.length > 0 && (
          <p>{replaced.length === 1 ? <bdi>{replaced[0]}</bdi> : `${replaced.length} documents`} will be replaced.</p>
        )}
        {refused.length > 0 && (
          <div class="callout problem" role="alert">
            <ul>
              {refused.map(({ path, reason }) => (
                <li key={path}>
                  <bdi>{path}</bdi>: {reason}
                </li>
              ))}
            </ul>
          </div>
        )}
        <div class="dialog-actions">
          <button type="button" onClick={onClose}>
            {refused.length > 0 ? "Close" : "Cancel"}
          </button>
          <button type="submit" disabled={isBusy || files.length === 0}>
            {isBusy ? "Storing" : "Store"}
          </button>
        </div>
      </form>
    </Dialog>
  );
};
