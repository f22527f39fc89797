/** The kind of a file, detected by its bytes. `text`: UTF-8 text, SVG included. `other`: the model gets only a note. */
export const ATTACHMENT_KINDS = ["image", "pdf", "audio", "text", "other"] as const;
export type AttachmentKind = (typeof ATTACHMENT_KINDS)[number];

/** A file that a message or a tool result refers to. Its bytes are in the workspace, and nowhere else. */
export interface AttachmentRecord {
  readonly kind: AttachmentKind;
  /** The original name without path, control characters and markup. */
  readonly name: string;
  /** Of the bytes. */
  readonly media_type: string;
  /** The type that the sender declared, if the bytes have another type. */
  readonly claimed_media_type?: string;
  readonly bytes: number;
  /** SHA-256, lower-case hex. */
  readonly digest: string;
  /** In the engine's workspace. */
  readonly path: string;
  /** The size of an image in pixels. */
  readonly width?: number;
  readonly height?: number;
}

/** The policy's limits for the attachments of one message, and of one tool result. */
export interface AttachmentLimits {
  /** The total size in MiB. 0: no attachments are accepted. */
  readonly mb: number;
  readonly count: number;
  readonly kinds: readonly AttachmentKind[];
}

export const DEFAULT_ATTACHMENT_LIMITS: AttachmentLimits = { mb: 20, count: 20, kinds: ATTACHMENT_KINDS };
export const MAX_ATTACHMENTS = { mb: 50, count: 100 } as const;

/** One part of a message. */
export type MessagePart = TextPart | AttachmentPart;
export type MessageContent = string | readonly MessagePart[];

export interface TextPart {
  readonly type: "text";
  readonly text: string;
}

/** Either `data` or `path`. */
export interface AttachmentPart {
  /** `image`: refused unless the bytes are a PNG, JPEG, GIF or WebP. `file`: any type, images included. */
  readonly type: "image" | "file";
  /** Base64 of the bytes. */
  readonly data?: string | undefined;
  /** A file of the engine's workspace. */
  readonly path?: string | undefined;
  readonly name?: string | undefined;
  /** The type that the sender declares. The bytes decide. */
  readonly media_type?: string | undefined;
}
