import { useRef } from "preact/hooks";
import { useAction } from "../../parts/action.ts";
import { engineCalls } from "../../session/clients.ts";
import { saveBlob, saveLinked } from "../../parts/save.ts";

interface FileActionsProps {
  readonly engine: string;
  readonly path: string;
  readonly onChange: () => void;
}

/** Uploads into a folder, and downloads it. */
export const FileActions = ({ engine, path, onChange }: FileActionsProps) => {
  const { files } = engineCalls(engine);
  const { isBusy, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  const upload = async (chosen: readonly File[]) => {
    // What is there is never replaced unseen.
    for (const file of chosen) {
      const target = path === "" ? file.name : `${path}/${file.name}`;
      if (!(await run(() => files.write(target, file, { ifNoneMatch: "*" }), `${file.name} is uploaded.`))) break;
    }
    onChange();
  };
  const archive = async () => {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for await (const chunk of (await files.archive({ path, format: "zip" })).chunks)
      parts.push(chunk as Uint8Array<ArrayBuffer>);
    saveBlob(new Blob(parts), `${path.slice(path.lastIndexOf("/") + 1) || "workspace"}.zip`);
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={({ currentTarget }) => void upload([...(currentTarget.files ?? [])])}
      />
      <button type="button" disabled={isBusy} onClick={() => input.current?.click()}>
        Upload
      </button>
      <button type="button" disabled={isBusy} onClick={() => void run(archive)}>
        Download as zip
      </button>
    </>
  );
};

/** Downloads a file by a link that the browser follows, so that the page holds nothing of it. */
export const DownloadButton = ({ engine, path }: { readonly engine: string; readonly path: string }) => {
  const { isBusy, run } = useAction();
  const download = async () => saveLinked((await engineCalls(engine).files.link(path, { ttlS: 60 })).url);
  return (
    <button type="button" disabled={isBusy} onClick={() => void run(download)}>
      Download
    </button>
  );
};
