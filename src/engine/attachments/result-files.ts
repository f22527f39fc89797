import type { AttachmentRecord } from "../../contract/engine/attachment.ts";
import type { NewFile } from "./check-file.ts";

export type KeptFile =
  | { readonly kind: "kept"; readonly file: AttachmentRecord }
  | { readonly kind: "refused"; readonly reason: string };

/** Collects the files that one call returns, such as images, within the limits of the policy. */
export interface ResultFiles {
  readonly kept: readonly AttachmentRecord[];
  /** Stores bytes in the workspace. A file that does not fit is refused with the reason, never thrown. */
  keep(file: NewFile): Promise<KeptFile>;
  /** Refers to a file that is in the workspace already. */
  refer(file: NewFile, path: string): KeptFile;
}
