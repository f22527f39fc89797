import { type AttachmentLimits, DEFAULT_ATTACHMENT_LIMITS } from "../../../contract/attachment-records.ts";
import { AttachmentFiles } from "./attachment-files.ts";
import { createResultFiles } from "./call-files.ts";

/** The files of messages and of tool results, and their limits: those of the policy, or the default ones. */
export function openAttachments({
  limits = DEFAULT_ATTACHMENT_LIMITS,
  ...parts
}: ConstructorParameters<typeof AttachmentFiles>[0] & { readonly limits: AttachmentLimits | undefined }) {
  const files = new AttachmentFiles(parts);
  return { files, limits, filesOf: createResultFiles({ files, limits }) };
}
