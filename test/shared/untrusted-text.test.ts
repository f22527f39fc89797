import t from "tap";
import { untrustedText } from "../../src/shared/untrusted-text.ts";

t.test("untrusted text is short, plain and well-formed", async (t) => {
  for (const [given, kept] of [
    ["plain\ttext – ü 漢", "plain\ttext – ü 漢"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007after", "after"],
    ["a\0b\rc\u009dd", "a\u{fffd}b\u{fffd}c\u{fffd}d"],
    ["one\u2028two\u202ethree", "one\u{fffd}two\u{fffd}three"],
    ["half \ud83d", "half \u{fffd}"],
    ["x".repeat(21), `${"x".repeat(19)}…`],
    [`${"x".repeat(18)}😀x`, `${"x".repeat(18)}\u{fffd}…`],
  ] as const) {
    t.equal(untrustedText(given, 20), kept);
  }
});
