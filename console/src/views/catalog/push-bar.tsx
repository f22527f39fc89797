import type { CatalogFault, CatalogPushed, ProductRecord } from "@orchd/client";
import { useState } from "preact/hooks";
import { formatCount } from "../../parts/format.ts";
import { notify } from "../../parts/notices.tsx";
import { asProblem } from "../../parts/problem.ts";
import { productCalls } from "../../session/clients.ts";
import { type ArchivedFile, writeArchive } from "./archive.ts";
import { type Draft, draftedFiles, setDraft } from "./draft.ts";
import { FilesDiff } from "./version-diff.tsx";

interface PushBarProps {
  readonly product: ProductRecord;
  /** The current one. */
  readonly version: number;
  readonly files: ReadonlyMap<string, ArchivedFile>;
  readonly draft: Draft;
  readonly onPushed: () => void;
  readonly onFault: (fault: CatalogFault) => void;
}

/** Checks the changed files by the engines' own loader, and pushes them as a new version. */
export const PushBar = ({ product, version, files, draft, onPushed, onFault }: PushBarProps) => {
  const [isBusy, setBusy] = useState(false);
  const [warnings, setWarnings] = useState<readonly CatalogFault[]>([]);
  const [isShown, setShown] = useState(false);
  const all = draftedFiles(files, draft);
  const send = async (dryRun: boolean) => {
    setBusy(true);
    setWarnings([]);
    try {
      const archive = await writeArchive(all.values());
      const pushed = await productCalls(product.id).catalog.push(archive, { dryRun, ifVersion: draft.version });
      setWarnings(pushed.warnings);
      if (dryRun) setDraft(product, { ...draft, faults: [] });
      else setDraft(product, null);
      notify("done", dryRun ? "The files are valid." : pushedText(pushed));
      if (!dryRun) onPushed();
    } catch (error) {
      const { code, message, details } = asProblem(error);
      if (code === "CATALOG_INVALID") setDraft(product, { ...draft, faults: faultsIn(details["errors"]) });
      else notify("problem", `${message} (${code})`);
    }
    setBusy(false);
  };
  return (
    <>
      <Faults faults={draft.faults} title="The loader refuses these files" onFault={onFault} />
      <Faults faults={warnings} title="Warnings" onFault={onFault} />
      {draft.version !== version && (
        <p class="field-problem" role="alert">
          Version {version} was pushed meanwhile. These changes began with version {draft.version}; discard them, or
          write them again.
        </p>
      )}
      <div class="form-actions">
        <button type="button" disabled={isBusy} onClick={() => void send(true)}>
          Check
        </button>
        <button type="button" class="primary" disabled={isBusy} onClick={() => void send(false)}>
          Push
        </button>
        <button type="button" disabled={isBusy} onClick={() => setDraft(product, null)}>
          Discard
        </button>
        <button type="button" class="quiet" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {formatCount(draft.changes.size)} changed {draft.changes.size === 1 ? "file" : "files"}
        </button>
      </div>
      {isShown && <FilesDiff before={files} after={all} />}
    </>
  );
};

function pushedText({ version, engines }: CatalogPushed): string {
  const used = engines === null ? "" : ` ${engines.reloaded} of ${engines.running} running engines use it.`;
  return `Version ${version} is current.${used}`;
}

const faultsIn = (errors: unknown): readonly CatalogFault[] =>
  Array.isArray(errors) ? (errors as readonly CatalogFault[]) : [];

interface FaultsProps {
  readonly faults: readonly CatalogFault[];
  readonly title: string;
  readonly onFault: (fault: CatalogFault) => void;
}

const Faults = ({ faults, title, onFault }: FaultsProps) =>
  faults.length === 0 ? null : (
    <div class="callout problem" role="alert">
      <p>{title}:</p>
      <ul>
        {faults.map((fault) => (
          <li key={`${fault.path} ${fault.line ?? ""} ${fault.message}`}>
            <button type="button" class="small" onClick={() => onFault(fault)}>
              {fault.path}
              {fault.line !== undefined && `:${fault.line}`}
            </button>{" "}
            {fault.message.replace(/^line \d+: /, "")}
          </li>
        ))}
      </ul>
    </div>
  );
