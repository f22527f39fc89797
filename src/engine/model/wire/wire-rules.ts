import type { AttachmentKind } from "../../../contract/engine/attachment-limits.ts";
import type { ProviderName } from "../../../contract/settings/engine-settings.ts";

/**
 * What each provider accepts, from its documentation and errors. Plain data, usable before a provider package is loaded.
 */
export interface WireRules {
  /** Key of the provider's signatures in its package's metadata. */
  readonly signer: string;
  /** Thinking to send back: all, all but other providers', only signed, or none. */
  readonly thinking: "any" | "own" | "signed" | "none";
  /** Signature fields of thinking: at least one of `thinkingProof` is required, `thinkingFields` are optional. */
  readonly thinkingProof: readonly string[];
  readonly thinkingFields: readonly string[];
  /** Signature fields of a call. */
  readonly callFields: readonly string[];
  readonly callId: CallIdRule;
  readonly maxCallsPerMessage: number;
  readonly maxTools: number;
  /** Valid names of top-level arguments. */
  readonly argumentName: RegExp;
  /** Keeps a model to the schema of a tool, for schemas that `isStrictSchema` accepts. */
  readonly strictTools: boolean;
  /** `subset`: only the keywords that Gemini documents, and no references. */
  readonly schemas: "json_schema" | "subset";
  /** Inserts an answer between tool results and a user message, which some refuse to follow directly. */
  readonly answersResults: boolean;
  /** Kinds of files that a tool's result may hold. The others follow in a user message. */
  readonly resultFiles: readonly AttachmentKind[];
  /** DeepSeek requires `reasoning_content` in an answer with calls. */
  readonly reasoningRequired: boolean;
}

/** As in `LLM_PROVIDER`, without the sandbox. */
export type RemoteProvider = Exclude<ProviderName, "sandbox">;

export interface CallIdRule {
  readonly pattern: RegExp;
  /** Derives a valid id from a hash. */
  readonly from: (hex: string) => string;
}

const PLAIN_ID: CallIdRule = { pattern: /^[A-Za-z0-9_-]{1,64}$/, from: (hex) => `call_${hex.slice(0, 24)}` };
/** Keeps server ids such as `functions.read_file:0`, which servers may parse. */
const OPEN_ID: CallIdRule = { pattern: /^[\x21-\x7e]{1,40}$/, from: PLAIN_ID.from };
const MISTRAL_ID: CallIdRule = { pattern: /^[A-Za-z0-9]{9}$/, from: (hex) => hex.slice(0, 9) };

const COMMON = {
  callFields: [],
  callId: PLAIN_ID,
  maxCallsPerMessage: Number.POSITIVE_INFINITY,
  maxTools: Number.POSITIVE_INFINITY,
  argumentName: /^[A-Za-z0-9_.-]{1,64}$/,
  strictTools: false,
  schemas: "json_schema",
  answersResults: false,
  resultFiles: [],
  reasoningRequired: false,
} as const;

const ANTHROPIC: WireRules = {
  ...COMMON,
  signer: "anthropic",
  strictTools: true,
  thinking: "signed",
  thinkingProof: ["signature", "redactedData"],
  thinkingFields: [],
  resultFiles: ["image", "pdf"],
};

const OPENAI: WireRules = {
  ...COMMON,
  signer: "openai",
  strictTools: true,
  thinking: "signed",
  thinkingProof: ["reasoningEncryptedContent"],
  thinkingFields: ["itemId"],
  resultFiles: ["image", "pdf"],
  maxTools: 128,
};

const GOOGLE: WireRules = {
  ...COMMON,
  signer: "google",
  thinking: "own",
  thinkingProof: ["thoughtSignature"],
  thinkingFields: [],
  callFields: ["thoughtSignature"],
  maxTools: 512,
  argumentName: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
  schemas: "subset",
};

const STRICT_GEMINI = /gemini-(?:2\.5|[3-9])/;

const BEDROCK: WireRules = {
  ...COMMON,
  signer: "amazonBedrock",
  strictTools: true,
  thinking: "signed",
  thinkingProof: ["signature", "redactedData", "redactedContent"],
  thinkingFields: [],
};
/** Other models refuse reasoning blocks. */
const BEDROCK_TAKES_THINKING = /anthropic\.|openai\./;

const COMPATIBLE: WireRules = {
  ...COMMON,
  signer: "openaiCompatible",
  thinking: "any",
  thinkingProof: [],
  thinkingFields: [],
  callId: OPEN_ID,
  maxCallsPerMessage: 128,
  maxTools: 128,
};
const MISTRAL = /mistral|ministral|mixtral|magistral|codestral|devstral|pixtral/i;

export function wireRules(provider: RemoteProvider, model: string): WireRules {
  switch (provider) {
    case "anthropic":
      return ANTHROPIC;
    case "openai":
      return OPENAI;
    case "google":
      return STRICT_GEMINI.test(model) ? { ...GOOGLE, strictTools: true } : GOOGLE;
    case "bedrock":
      if (/anthropic\./.test(model)) return { ...BEDROCK, resultFiles: ["image"] };
      return BEDROCK_TAKES_THINKING.test(model) ? BEDROCK : { ...BEDROCK, thinking: "none" };
    case "openai-compatible":
      if (MISTRAL.test(model)) return { ...COMPATIBLE, callId: MISTRAL_ID, answersResults: true };
      // Only Google's servers accept this field.
      if (/gemini/i.test(model)) return { ...COMPATIBLE, callFields: ["thoughtSignature"] };
      return { ...COMPATIBLE, reasoningRequired: /deepseek/i.test(model) };
    default:
      return provider satisfies never;
  }
}
