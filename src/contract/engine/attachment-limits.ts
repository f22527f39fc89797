/** The kind of a file, detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note. */
export const ATTACHMENT_KINDS = ["image", "pdf", "audio", "text", "other"] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** The policy's limits for the attachments of one message, and of one tool result. */
export interface AttachmentLimits {
  /** The total size in MiB. 0: no attachments are accepted. */
  readonly mb: number;
  readonly count: number;
  readonly kinds: readonly AttachmentKind[];
}

export const DEFAULT_ATTACHMENT_LIMITS: AttachmentLimits = { mb: 20, count: 20, kinds: ATTACHMENT_KINDS };
export const MAX_ATTACHMENTS = { mb: 50, count: 100 } as const;
