import t from "tap";
import { fields, safe, safeLines, table, width } from "../../cli/output.ts";

t.test("what steers a terminal is written out, what belongs to letters stays", async (t) => {
  t.equal(safe("a\u001b[31m\u0007\u009b"), String.raw`a\u{1b}[31m\u{7}\u{9b}`);
  t.equal(safe("\u202eabc\u2066\u200f"), String.raw`\u{202e}abc\u{2066}\u{200f}`);
  t.equal(safe("line\u2028one\r\n"), String.raw`line\u{2028}one\u{d}\u{a}`);
  t.equal(safe("👩‍🚀 用户 é می‌خواهم"), "👩‍🚀 用户 é می‌خواهم");
  t.equal(safe({ a: ["\u001b"] }), String.raw`{"a":["\u001b"]}`);
  t.equal(safe(undefined), "");
  t.equal(safeLines("a\n\tb\u001b[2J"), String.raw`a` + "\n\t" + String.raw`b\u{1b}[2J`);
});

t.test("columns are counted as a terminal does", async (t) => {
  t.equal(width("abc"), 3);
  t.equal(width("用户"), 4);
  t.equal(width("👩‍🚀"), 2);
  t.equal(width("❤️"), 2);
  t.equal(width("e\u0301"), 1);
  t.equal(width("한글かな"), 8);
});

t.test("a table and a list of fields stand in columns, with dashes for what is not given", async (t) => {
  t.equal(
    table(
      ["A", "LONG"],
      [
        ["用", null],
        ["b", ""],
        ["long one", "c"],
      ],
    ),
    ["A         LONG", "用        -", "b         -", "long one  c"].join("\n"),
  );
  t.equal(
    fields([
      ["a", "1"],
      ["long", null],
    ]),
    "a     1\nlong  -",
  );
});
