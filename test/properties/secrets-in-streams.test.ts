import { strict as assert } from "node:assert";
import { Readable } from "node:stream";
import type { Transform } from "node:stream";
import fc from "fast-check";
import { fillBody } from "../../src/broker/fill-body.ts";
import { replaceInStream } from "../../src/broker/replace-stream.ts";
import { formsOf, formsOfToken } from "../../src/broker/secret-forms.ts";
import { newPlaceholder } from "../../src/contract/broker/placeholder.ts";
import { chunked, cuts, property } from "../helpers/property.ts";

async function through(transform: Transform, chunks: readonly Buffer[]): Promise<Buffer> {
  const out = Readable.from(chunks, { objectMode: false }).pipe(transform);
  return Buffer.concat(await out.toArray());
}
const bytes = (unit: readonly string[], maxLength: number) => fc.string({ unit: fc.constantFrom(...unit), maxLength });

property(
  "what is replaced does not depend on the chunks, and nothing of it is left",
  [
    fc.uniqueArray(
      bytes(["a", "b"], 6).filter((text) => text !== ""),
      { minLength: 1, maxLength: 4 },
    ),
    bytes(["a", "b", "c"], 40),
    cuts,
  ],
  async (texts, body, cuts) => {
    const replacements = texts.map((text) => ({ found: Buffer.from(text), by: Buffer.from("#") }));
    const whole = await through(replaceInStream(replacements), [Buffer.from(body)]);
    assert.deepEqual(await through(replaceInStream(replacements), chunked(Buffer.from(body), cuts)), whole);
    for (const text of texts) assert.ok(!whole.includes(text), `${text} is left in ${whole.toString()}`);
  },
);

/** Printable ASCII, and for tokens of other origin any text. */
const secret = fc
  .string({ unit: "grapheme-ascii", minLength: 8, maxLength: 40 })
  .map((text) => text.replaceAll(" ", "~"));
const token = fc.string({ unit: fc.constantFrom("k", "7", "é", "€", "😀"), minLength: 8, maxLength: 20 });

const ENCODINGS = [
  (text: string) => text,
  (text: string) => encodeURIComponent(text),
  (text: string) => JSON.stringify(text),
];
const by = { text: "orchsec_A.mac", name: "A" };

property(
  "a server that sends a secret back in a text, a URL or JSON sends none",
  [secret, fc.constantFrom(...ENCODINGS), cuts],
  async (value, encode, cuts) => {
    const forms = formsOf([{ placeholder: by, secret: { value, prefix: null, place: "header" } as never }]);
    const sent = await through(replaceInStream(forms), chunked(Buffer.from(`<${encode(value)}>`), cuts));
    assert.ok(!sent.includes(encode(value).replaceAll('"', "")), String(sent));
  },
);

property(
  "nor does one that sends it in base64, alone or within a longer text",
  [fc.oneof(secret, token), bytes(["u", ":", "ü"], 5), bytes(["v", "\n"], 5), fc.boolean(), cuts],
  async (value, before, after, isUrl, cuts) => {
    const encoded = Buffer.from(before + value + after).toString(isUrl ? "base64url" : "base64");
    const sent = await through(replaceInStream(formsOfToken(value)), chunked(Buffer.from(encoded), cuts));
    // Each character has six bits: those of the value alone.
    const from = Math.ceil((Buffer.byteLength(before) * 8) / 6);
    const to = Math.floor((Buffer.byteLength(before + value) * 8) / 6);
    for (let at = from; at + 8 <= to; at++)
      assert.ok(
        !sent.includes(encoded.slice(at, at + 8)),
        `${encoded.slice(at, at + 8)} is left in ${sent.toString()}`,
      );
  },
  { examples: [["kkkk😀😀😀k", "", "", false, []]] },
);

const KEY = "orche_key";
const pieces = fc.array(
  fc.constantFrom("orchsec_", "A", "_", ".", "orch", "é", newPlaceholder(KEY, "A"), newPlaceholder(KEY, "B_2")),
  { maxLength: 8 },
);

property("placeholders are filled in alike, however a body is cut", [pieces, cuts], async (pieces, cuts) => {
  const body = Buffer.from(pieces.join(""));
  const fill = () => fillBody(async ({ name }) => `<${name}>`);
  const filled = await through(fill(), [body]);
  assert.deepEqual(await through(fill(), chunked(body, cuts)), filled);
});
