import type { AttachmentRecord } from "../../../contract/engine/attachment.ts";
import { type ProviderName, READABLE_KINDS, type ReadableKind } from "../../../contract/settings/engine-settings.ts";

/** What a model reads of attachments. Text is not listed: it goes to every model as text. */
export interface ReadableFiles {
  readonly reads: ReadonlySet<ReadableKind>;
  /** Media types of images and audio that the provider's protocol has. */
  readonly mediaTypes: RegExp;
  /** Limits of an image: its bytes, and the pixels of a side. */
  readonly maxImageBytes: number;
  readonly maxImageSide: number;
  /** The estimate of an attachment's tokens. */
  readonly tokens: (file: AttachmentRecord) => number;
}

const ALL_TYPES = /./;
const WITHOUT_GIF = /^(?!image\/gif)/;
const WITHOUT_AUDIO_BUT_WAV_AND_MP3 = /^(?!audio\/(?!wav|mpeg))/;
const MIB = 1024 * 1024;

/** Kinds that the provider's protocol supports. */
const PROTOCOL_KINDS: Readonly<Record<ProviderName, readonly ReadableKind[]>> = {
  anthropic: ["image", "pdf"],
  openai: ["image", "pdf"],
  google: READABLE_KINDS,
  bedrock: ["image", "pdf"],
  "openai-compatible": READABLE_KINDS,
  sandbox: READABLE_KINDS,
};

type ModelKinds = readonly (readonly [model: RegExp, reads: readonly ReadableKind[]])[];
/** The first match counts; a model without one reads nothing. */
const MODEL_KINDS: Readonly<Record<ProviderName, ModelKinds>> = {
  anthropic: [
    [/claude-(?:2|instant)/, []],
    [/claude-3-(?:haiku|opus|sonnet)/, ["image"]],
    [/./, ["image", "pdf"]],
  ],
  openai: [
    [/gpt-3|gpt-4-(?!turbo|vision)|^gpt-4$|o1-mini|o1-preview|o3-mini/, []],
    [/./, ["image", "pdf"]],
  ],
  google: [
    [/gemma-[12]/, []],
    [/gemma/, ["image"]],
    [/./, ["image", "pdf", "audio"]],
  ],
  bedrock: [
    [/anthropic\.claude-(?:v2|instant)/, []],
    [/anthropic\.|nova-(?!micro)/, ["image", "pdf"]],
    [/llama3-2-(?:11|90)b|llama4|pixtral|mistral-large-3/, ["image"]],
  ],
  "openai-compatible": [
    [/gemini/i, ["image", "pdf", "audio"]],
    [/claude|gpt-(?:4o|4\.1|[5-9])/i, ["image", "pdf"]],
    [
      /vision|llava|(?:^|[-_.\d])vl(?:$|[-_.:\d])|pixtral|gemma-?[34]|llama-?4|minicpm-v|internvl|moondream|omni/i,
      ["image"],
    ],
    [/mistral-(?:small|medium)-?(?:3|latest)/i, ["image"]],
  ],
  sandbox: [[/./, READABLE_KINDS]],
};

/** `override`: the kinds of `LLM_ATTACHMENTS`; null: by the model's name. */
export function readableFiles(
  provider: ProviderName,
  model: string,
  override: readonly ReadableKind[] | null,
): ReadableFiles {
  const reads = override ?? MODEL_KINDS[provider].find(([name]) => name.test(model))?.[1] ?? [];
  const isSmall = provider === "anthropic" || provider === "bedrock";
  return {
    reads: new Set(reads.filter((kind) => PROTOCOL_KINDS[provider].includes(kind))),
    mediaTypes:
      provider === "google"
        ? WITHOUT_GIF
        : provider === "openai-compatible"
          ? WITHOUT_AUDIO_BUT_WAV_AND_MP3
          : ALL_TYPES,
    // Anthropic's limit of 5 MiB counts base64.
    maxImageBytes: isSmall ? 3.75 * MIB : 20 * MIB,
    maxImageSide: isSmall ? 8000 : 16_384,
    tokens: (file) => tokensOf(file, provider),
  };
}

/** Pages and seconds are not read from the file: these are usual densities. */
const BYTES_PER_PAGE = 50_000;
const BYTES_PER_SECOND = 16_000;
const BYTES_PER_TOKEN = 4;
const TOKENS_PER_SECOND = 32;
/** Longer text files are truncated. */
export const MAX_TEXT_BYTES = 100_000;

/** Where the provider does not matter. */
export const usualTokens = (file: AttachmentRecord): number => tokensOf(file, "anthropic");

function tokensOf(file: AttachmentRecord, provider: ProviderName): number {
  switch (file.kind) {
    case "image":
      return imageTokens(file, provider);
    case "pdf":
      return Math.ceil(file.bytes / BYTES_PER_PAGE) * (provider === "google" ? 260 : 2000);
    case "audio":
      return Math.ceil(file.bytes / BYTES_PER_SECOND) * TOKENS_PER_SECOND;
    case "text":
      return Math.ceil(Math.min(file.bytes, MAX_TEXT_BYTES) / BYTES_PER_TOKEN);
    case "other":
      return 0;
    default:
      return file.kind satisfies never;
  }
}

function imageTokens({ width = 1024, height = 1024 }: AttachmentRecord, provider: ProviderName): number {
  if (provider === "google") return 258 * tiles(width, height, 768);
  if (provider === "openai") {
    // The short side is scaled to 768 pixels, then tiles of 512 are counted.
    const scale = Math.min(1, 2048 / Math.max(width, height), 768 / Math.min(width, height));
    return 85 + 170 * tiles(width * scale, height * scale, 512);
  }
  return Math.min(1600, Math.ceil((width * height) / 750));
}

/** Providers scale larger images down to about this many. */
const MAX_TILES = 16;
const tiles = (width: number, height: number, side: number): number =>
  Math.min(MAX_TILES, Math.ceil(width / side) * Math.ceil(height / side));
