/**
 * What each provider refuses, from its documentation and its errors. Plain data that needs no provider package: what is
 * offered to a model is decided by it before a package is loaded.
 */
export interface WireRules {
  /** Under which name the provider's package keeps what the provider signed. */
  readonly signer: string;
  /** Which thinking goes back: all of it, all but that of other providers, only what is signed, or none. */
  readonly thinking: "any" | "own" | "signed" | "none";
  /** Of a signature of thinking; one with a value is needed. The others go along. */
  readonly thinkingProof: readonly string[];
  readonly thinkingFields: readonly string[];
  /** Of the signature of a call. */
  readonly callFields: readonly string[];
  readonly callId: CallIdRule;
  readonly maxCallsPerMessage: number;
  readonly maxTools: number;
  /** Of arguments, at the top level of a tool's schema. */
  readonly argumentName: RegExp;
  /** `subset`: only the keywords that Gemini documents, and no references. */
  readonly schemas: "json_schema" | "subset";
  /** Some refuse a message of the user right behind results of tools. */
  readonly answersResults: boolean;
  /** DeepSeek refuses an answer with calls that does not say what it thought. */
  readonly reasoningRequired: boolean;
}

/** As in `LLM_PROVIDER`; the sandbox, which has no wire, is none. */
export type RemoteProvider = "anthropic" | "openai" | "google" | "bedrock" | "openai-compatible";

export interface CallIdRule {
  readonly pattern: RegExp;
  /** An id in that form, from a hash. */
  readonly from: (hex: string) => string;
}

const PLAIN_ID: CallIdRule = { pattern: /^[A-Za-z0-9_-]{1,64}$/, from: (hex) => `call_${hex.slice(0, 24)}` };
/** Servers may read meaning into their own ids (`functions.read_file:0`): those stay as they are. */
const OPEN_ID: CallIdRule = { pattern: /^[\x21-\x7e]{1,40}$/, from: PLAIN_ID.from };
const MISTRAL_ID: CallIdRule = { pattern: /^[A-Za-z0-9]{9}$/, from: (hex) => hex.slice(0, 9) };

const COMMON = {
  callFields: [],
  callId: PLAIN_ID,
  maxCallsPerMessage: Number.POSITIVE_INFINITY,
  maxTools: Number.POSITIVE_INFINITY,
  argumentName: /^[A-Za-z0-9_.-]{1,64}$/,
  schemas: "json_schema",
  answersResults: false,
  reasoningRequired: false,
} as const;

const ANTHROPIC: WireRules = {
  ...COMMON,
  signer: "anthropic",
  thinking: "signed",
  thinkingProof: ["signature", "redactedData"],
  thinkingFields: [],
};

const OPENAI: WireRules = {
  ...COMMON,
  signer: "openai",
  thinking: "signed",
  thinkingProof: ["reasoningEncryptedContent"],
  thinkingFields: ["itemId"],
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

const BEDROCK: WireRules = {
  ...COMMON,
  signer: "amazonBedrock",
  thinking: "signed",
  thinkingProof: ["signature", "redactedData", "redactedContent"],
  thinkingFields: [],
};
/** Models of other makers refuse blocks of reasoning. */
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
      return GOOGLE;
    case "bedrock":
      return BEDROCK_TAKES_THINKING.test(model) ? BEDROCK : { ...BEDROCK, thinking: "none" };
    case "openai-compatible":
      if (MISTRAL.test(model)) return { ...COMPATIBLE, callId: MISTRAL_ID, answersResults: true };
      // What a server of Google's signed is a field that others refuse.
      if (/gemini/i.test(model)) return { ...COMPATIBLE, callFields: ["thoughtSignature"] };
      return { ...COMPATIBLE, reasoningRequired: /deepseek/i.test(model) };
    default:
      return provider satisfies never;
  }
}
