import t from "tap";
import { safe, safeLines, width } from "../../cli/output.ts";
import { fields, table } from "../../cli/table.ts";

t.test("control characters are escaped, combining characters stay", async (t) => {
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
  t.equal(width("ﾊﾝｶｸ"), 4);
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
      null,
    ),
    ["A         LONG", "用        -", "b         -", "long one  c"].join("\n"),
  );
  t.equal(
    fields(
      [
        ["a", "1"],
        ["long", null],
      ],
      null,
    ),
    "a     1\nlong  -",
  );
});

const HEAD = ["USER", "STATE", "STARTED", "ID"];
const ROWS = [["somebody@example.com", "running", "3 min ago", "eng_01a203b6-bd24-7000-a727-2ea4d2c0e1ae"]];

t.test("a table shortens its widest cells, then leaves out columns, and never exceeds the terminal", async (t) => {
  t.equal(table(HEAD, ROWS, 200).split("\n")[1], ROWS[0]?.join("  "));
  t.equal(
    table(HEAD, ROWS, 60).split("\n")[1],
    "somebody@example.c…  running  3 min ago  eng_01a203b6-bd24-…",
    "the widest first",
  );
  t.equal(table(HEAD, ROWS, 30).split("\n")[0], "USER                  STATE");
  for (const columns of [1, 10, 20, 30, 47, 80, 81]) {
    for (const line of table(HEAD, ROWS, columns).split("\n")) t.ok(width(line) <= Math.max(columns, 4), line);
  }
  t.match(table(["", "用户"], [["*", "用户用户用户"]], 10).split("\n")[1], /^\*  用户用…$/);
});

t.test("fields are wrapped beside their names, or below them where there is little room", async (t) => {
  const pairs = [
    ["ports", "2 of 100 taken, 98 free"],
    ["user", "a"],
  ] as const;
  t.equal(fields(pairs, 27), "ports  2 of 100 taken, 98\n       free\nuser   a");
  t.equal(fields(pairs, 20), "ports\n  2 of 100 taken, 98\n  free\nuser\n  a");
});
