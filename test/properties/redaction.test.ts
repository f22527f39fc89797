import { strict as assert } from "node:assert";
import fc from "fast-check";
import { storedBody } from "../../src/engine/requests/sent-request.ts";
import { redactValues } from "../../src/shared/redact-secrets.ts";
import { property } from "../helpers/property.ts";

const MARK = "(redacted)";
const text = (unit: readonly string[], length: { readonly minLength?: number; readonly maxLength: number }) =>
  fc.string({ unit: fc.constantFrom(...unit), ...length });
/** Some begin as others do. */
const secrets = fc
  .tuple(
    text(["A", "B", "7"], { minLength: 12, maxLength: 12 }),
    text(["A", "B", "7"], { minLength: 6, maxLength: 6 }),
    fc.uniqueArray(fc.integer({ min: 6, max: 12 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([whole, other, lengths]) => [...new Set([other, ...lengths.map((length) => whole.slice(0, length))])]);

property(
  "no secret is left of a text, nor the end of one that begins as another",
  [secrets, fc.array(fc.oneof(fc.nat({ max: 3 }), text(["x", " "], { minLength: 1, maxLength: 3 })), { maxLength: 8 })],
  (secrets, parts) => {
    const words = parts.map((part) => (typeof part === "string" ? part : (secrets[part % secrets.length] ?? "")));
    const separated = words.join("-");
    const shown = redactValues(separated, secrets);
    assert.equal(shown, words.map((word) => (secrets.includes(word) ? MARK : word)).join("-"));
  },
  { examples: [[["AAAAAA", "AAAAAABBBBBB"], [1]]] },
);

property(
  "the order in which secrets are given makes no difference",
  [secrets, text(["A", "B", "7", "x"], { maxLength: 60 })],
  (secrets, given) => {
    const shown = redactValues(given, secrets);
    assert.equal(redactValues(given, secrets.toReversed()), shown);
    for (const secret of secrets) assert.ok(!shown.includes(secret), shown);
  },
);

const odd = text(["k", "7", '"', "\\", "/", "é"], { minLength: 6, maxLength: 12 });

property(
  "a body that is kept has no secret, in whatever form JSON writes it",
  [odd, text(["x", '"', "\n"], { maxLength: 5 })],
  (secret, around) => {
    const { body } = storedBody(JSON.stringify({ messages: [{ content: `${around} ${secret} ${around}` }] }), [secret]);
    const { messages } = JSON.parse(body ?? "") as { readonly messages: readonly { readonly content: string }[] };
    assert.equal(messages[0]?.content, `${around} ${MARK} ${around}`);
  },
  { examples: [['kkk"kk', ""]] },
);
