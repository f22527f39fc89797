import type { AnswerTo } from "../contract/broker/questions.ts";
import type { Placeholder } from "../contract/broker/placeholder.ts";
import type { Replacement } from "./replace-stream.ts";

export type Secret = NonNullable<AnswerTo<"secret">["secret"]>;

/** A secret that a request carries, by its placeholder. */
export interface CarriedSecret {
  readonly placeholder: Placeholder;
  readonly secret: Secret;
}

const REDACTED = Buffer.from("(redacted)");

/**
 * Every form in which a server may send a value back: as it is, in a URL, in JSON, in Base64 alone and in the credentials of
 * basic authentication. The placeholder takes the value's place, so that a client may send it again.
 */
export function formsOf(carried: readonly CarriedSecret[]): readonly Replacement[] {
  const forms = new Map<string, Buffer>();
  for (const { placeholder, secret } of carried) {
    const { value, prefix } = secret;
    const by = Buffer.from(placeholder.text);
    for (const form of plainForms(value)) forms.set(form, by);
    for (const form of base64Forms(value)) forms.set(form, REDACTED);
    if (secret.place === "basic") forms.set(basicOf(prefix ?? "", value), REDACTED);
  }
  return [...forms].map(([found, by]) => ({ found: Buffer.from(found), by }));
}

/** The same of a token, for which nothing stands. */
export const formsOfToken = (token: string): readonly Replacement[] =>
  [...new Set([...plainForms(token), ...base64Forms(token)])].map((form) => ({
    found: Buffer.from(form),
    by: REDACTED,
  }));

const plainForms = (value: string): readonly string[] => [
  value,
  encodeURIComponent(value),
  JSON.stringify(value).slice(1, -1),
];

export const basicOf = (user: string, password: string): string =>
  Buffer.from(`${user}:${password}`).toString("base64");

/** Of a value inside of a longer text, the middle part depends on where it begins. */
function base64Forms(value: string): readonly string[] {
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.from("\0".repeat(offset) + value).toString("base64");
    // Without the characters that what stands before and behind it has changed.
    const from = [0, 2, 3][offset] ?? 0;
    const whole = Math.floor(((offset + Buffer.byteLength(value)) * 8) / 6);
    const form = encoded.slice(from, whole);
    return form.length < MIN_FORM ? [] : [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** A shorter form would be found in ordinary answers. */
const MIN_FORM = 8;
