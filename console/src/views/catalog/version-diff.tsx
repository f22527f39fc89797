import type { ProductRecord } from "@orchd/client";
import { useResource } from "../../live/resource.ts";
import { formatBytes } from "../../parts/format.ts";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { productCalls } from "../../session/clients.ts";
import { type ArchivedFile, readArchive } from "./archive.ts";
import { hunksOf, lineDiff } from "./line-diff.ts";

type Files = ReadonlyMap<string, ArchivedFile>;

/** The files of a version. Version 0 has none. */
export async function filesOfVersion(product: string, version: number, signal: AbortSignal): Promise<Files> {
  if (version === 0) return new Map();
  return readArchive(await productCalls(product).catalog.archive(version, { signal }));
}

interface VersionDiffProps {
  readonly product: ProductRecord;
  readonly from: number;
  readonly to: number;
}

/** What differs between two versions. */
export const VersionDiff = ({ product, from, to }: VersionDiffProps) => {
  const { data, problem, reload } = useResource(
    (signal) => Promise.all([from, to].map((version) => filesOfVersion(product.id, version, signal))),
    [product.id, from, to],
  );
  const [before, after] = data ?? [];
  return (
    <section aria-labelledby="diff">
      <h2 id="diff">
        Version {from} to version {to}
      </h2>
      {problem !== null && <ProblemNote problem={problem} onRetry={reload} />}
      {data === null && problem === null && (
        <p class="dim" aria-busy="true">
          Reading both versions
        </p>
      )}
      {before !== undefined && after !== undefined && <FilesDiff before={before} after={after} />}
    </section>
  );
};

/** The files that differ, with their lines. */
export const FilesDiff = ({ before, after }: { readonly before: Files; readonly after: Files }) => {
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const changed = paths.filter((path) => !isSame(before.get(path), after.get(path)));
  if (changed.length === 0) return <p class="dim">They have the same files.</p>;
  return (
    <>
      {changed.map((path) => (
        <FileDiff key={path} path={path} before={before.get(path)} after={after.get(path)} />
      ))}
    </>
  );
};

const isSame = (before: ArchivedFile | undefined, after: ArchivedFile | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  before.content.length === after.content.length &&
  before.content.every((byte, at) => byte === after.content[at]);

interface FileDiffProps {
  readonly path: string;
  readonly before: ArchivedFile | undefined;
  readonly after: ArchivedFile | undefined;
}

const SIGN = { same: " ", added: "+", removed: "−" } as const;

const FileDiff = ({ path, before, after }: FileDiffProps) => {
  const kind = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const isBinary = before?.text === null || after?.text === null;
  return (
    <section class="panel" aria-label={path}>
      <header>
        <code>{path}</code> <span class="dim">{kind}</span>
      </header>
      {isBinary ? (
        <p class="dim">
          No text: {formatBytes(before?.content.length ?? 0)} to {formatBytes(after?.content.length ?? 0)}.
        </p>
      ) : (
        hunksOf(lineDiff(before?.text ?? "", after?.text ?? "")).map((hunk, at) => (
          <pre key={at} class="diff" role="region" aria-label={`Part ${at + 1} of ${path}`} tabIndex={0}>
            {hunk.map((line, nth) => (
              <span key={nth} class={line.kind}>
                {`${String(line.is ?? line.was ?? "").padStart(4)} ${SIGN[line.kind]} ${line.text}\n`}
              </span>
            ))}
          </pre>
        ))
      )}
    </section>
  );
};
