import type { WorkspaceCheckpoints } from "../checkpoints/workspace-checkpoints.ts";
import { ArtifactTable } from "../store/artifact-table.ts";
import type { Store } from "../store/open-store.ts";
import { Artifacts } from "./artifacts.ts";
import { ContentDigests } from "./content-digests.ts";
import { LinkTokens } from "./link-tokens.ts";
import { WorkspaceChanger } from "./workspace-changer.ts";

/** The files of an engine's workspace, for callers of its interface. */
export type EngineFiles = ReturnType<typeof openFiles>;

export function openFiles({
  store,
  workspaceDir,
  checkpoints,
  admit,
  engineId,
}: {
  readonly store: Store;
  readonly workspaceDir: string;
  readonly checkpoints: WorkspaceCheckpoints;
  /** Why so many bytes may not be written, or null. Counts them as written. */
  readonly admit: (bytes: number) => Promise<string | null>;
  readonly engineId: string;
}) {
  const digests = new ContentDigests();
  const { changes, recorder } = checkpoints;
  const { contents } = recorder;
  return {
    workspaceDir,
    digests,
    changer: new WorkspaceChanger({
      workspaceDir,
      dataDir: store.dataDir,
      digests,
      admit,
      during: (change) => checkpoints.duringChange(change),
      onChange: (change) => checkpoints.changedByCaller(change),
    }),
    artifacts: new Artifacts({ store, table: new ArtifactTable(store), changes, contents, digests, workspaceDir }),
    links: new LinkTokens({ state: store.state, engineId }),
  };
}
