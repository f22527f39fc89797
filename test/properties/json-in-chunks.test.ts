import { strict as assert } from "node:assert";
import fc from "fast-check";
import { TopLevelFields } from "../../src/broker/top-level-fields.ts";
import { UsageScanner } from "../../src/broker/usage-scanner.ts";
import { chunked, cuts, property } from "../helpers/property.ts";

const key = fc.constantFrom("model", "max_tokens", "messages", "n", 'a"b', "\\", "é");
const value = fc.jsonValue({
  maxDepth: 2,
  stringUnit: fc.constantFrom("a", '"', "\\", "{", "}", "[", "]", ",", ":", "é", "😀"),
});
const WANTED = new Set(["model", "max_tokens", 'a"b']);

property(
  "the fields of an object are those that JSON.parse reads, however the bytes are cut",
  [fc.dictionary(key, value), fc.constantFrom(0, 1, 2), cuts],
  (object, indent, cuts) => {
    const text = JSON.stringify(object, null, indent);
    const scanner = new TopLevelFields(WANTED);
    for (const chunk of chunked(Buffer.from(text), cuts)) scanner.see(chunk);
    const expected = Object.entries(JSON.parse(text) as object).filter(([name]) => WANTED.has(name));
    assert.deepEqual([...(scanner.fields ?? [])], expected);
  },
);

const counts = fc.record(
  { input_tokens: fc.nat(), output_tokens: fc.nat(), cache_read_input_tokens: fc.nat() },
  { requiredKeys: ["output_tokens"] },
);
/** An answer: text of the model, which tries to name a usage of its own, and counts that grow. */
const answer = fc.array(
  fc.oneof(
    fc.record({ text: fc.string({ unit: fc.constantFrom("a", '"usage":{', '"output_tokens":9', "}", "\\", "é") }) }),
    fc
      .tuple(fc.constantFrom("usage", "usageMetadata"), counts)
      .map(([name, usage]) => ({ message: { [name]: usage } })),
  ),
  { minLength: 1, maxLength: 6 },
);

property(
  "a provider's count is the same, however its answer is cut",
  [answer, fc.constantFrom(0, 2, 9), cuts],
  (events, indent, cuts) => {
    const bytes = Buffer.from(events.map((event) => `data: ${JSON.stringify(event, null, indent)}\n\n`).join(""));
    const scanner = new UsageScanner();
    for (const chunk of chunked(bytes, cuts)) scanner.see(chunk);
    const told = events.flatMap((event) => ("message" in event ? Object.values(event.message) : []));
    const most = (name: string): number =>
      Math.max(0, ...told.map((one) => (one as Readonly<Record<string, number>>)[name] ?? 0));
    const usage = scanner.usage();
    assert.equal(usage === null, told.length === 0);
    if (usage === null) return;
    assert.equal(usage.output, most("output_tokens"));
    assert.equal(usage.input, most("input_tokens") + most("cache_read_input_tokens"));
  },
);
