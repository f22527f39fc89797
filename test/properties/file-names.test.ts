import { strict as assert } from "node:assert";
import fc from "fast-check";
import { plainName, storedName } from "../../src/engine/attachments/file-name.ts";
import { property } from "../helpers/property.ts";

const unit = fc.constantFrom("a", "b", " ", ".", "/", "\\", "é", "\u{20000}", "\ud840", "\u202e", "\0", "'", "_");
const name = fc
  .tuple(fc.constantFrom("", "x".repeat(90)), fc.string({ unit, maxLength: 30 }))
  .map((parts) => parts.join(""));

property(
  "a name that is shown is short, plain and its own plain name",
  [name],
  (name) => {
    const plain = plainName(name, "file");
    assert.ok(plain.length > 0 && plain.length <= 100, plain);
    assert.match(plain, /^[\p{L}\p{M}\p{N} ._()+,@&-]+$/u);
    assert.equal(plainName(plain, "file"), plain);
  },
  { examples: [[`${"x".repeat(99)}\u{20000}`]] },
);

property("a stored name fits into a folder and needs no quotes", [name], (name) => {
  const stored = storedName("0123456789abcdef0123", name);
  assert.ok(Buffer.byteLength(stored) <= 100, stored);
  assert.match(stored, /^0123456789abcdef-[\p{L}\p{N}._-]*$/u);
});
