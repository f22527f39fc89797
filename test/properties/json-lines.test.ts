import { strict as assert } from "node:assert";
import fc from "fast-check";
import { jsonLines } from "../../src/shared/json-lines.ts";
import { oneLine } from "../../src/shared/one-line.ts";
import { property } from "../helpers/property.ts";

const unit = fc.constantFrom("a", '"', "\\", "\n", "\u2028", "\u0085", "\u007f", "\0", "é", "😀", "\ud83d");
const value = fc.jsonValue({ maxDepth: 3, stringUnit: unit });

property(
  "a text has an error where JSON.parse has one, and none where it has none",
  [
    value,
    fc.constantFrom(0, 2),
    fc.nat(),
    fc.constantFrom("", ",", '"', "}", "[", "\\", "0", "-", ".", "e", "\u00a0", "\t", "\n", "true"),
  ],
  (value, indent, place, inserted) => {
    const valid = JSON.stringify(value, null, indent);
    const at = place % (valid.length + 1);
    for (const text of [
      valid.slice(0, at) + inserted + valid.slice(at),
      valid.slice(0, at) + inserted + valid.slice(at + 1),
    ]) {
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      const { errorLine } = jsonLines(text);
      assert.equal(errorLine === null, isJson, JSON.stringify(text));
      assert.ok(errorLine === null || errorLine <= text.split("\n").length);
    }
  },
);

property(
  "the line of a field is the one that has its name",
  [fc.array(fc.tuple(fc.boolean(), value), { minLength: 1, maxLength: 6 })],
  (fields) => {
    const path = fields.map((_, index) => `field ${index}`);
    let object: Record<string, unknown> = {};
    for (const [index, [isBefore, beside]] of [...fields.entries()].toReversed()) {
      const name = path[index] ?? "";
      object = isBefore ? { beside, [name]: object } : { [name]: object, beside };
    }
    const text = JSON.stringify(object, null, 1);
    for (const [index, name] of path.entries()) {
      const line = text.split("\n").findIndex((one) => one.trim().startsWith(`"${name}":`)) + 1;
      assert.equal(jsonLines(text).lineOf(path.slice(0, index + 1)), line);
      assert.equal(
        jsonLines(text).lineOf([...path.slice(0, index + 1), "not there"]),
        line,
        "of the deepest that is there",
      );
    }
  },
);

property("a value on one line is the same value, on one line for every reader", [value], (value) => {
  const line = oneLine(value);
  assert.deepEqual(JSON.parse(line), JSON.parse(JSON.stringify(value)));
  assert.ok(!/[\n\r\u0085\u2028\u2029]/.test(line));
});
