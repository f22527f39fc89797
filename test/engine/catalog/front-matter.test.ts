import t from "tap";
import * as z from "zod/mini";
import { BadEntry } from "../../../src/engine/catalog/catalog-entry.ts";
import { readFrontMatter } from "../../../src/engine/catalog/front-matter.ts";

const schema = z.object({ name: z.string(), tags: z.optional(z.array(z.string())) });
const strict = z.strictObject({ name: z.string() });
const refusal = async (text: string, by: z.ZodMiniObject = schema): Promise<string> => {
  try {
    await readFrontMatter(by, text);
  } catch (error) {
    if (error instanceof BadEntry) return error.message;
    throw error;
  }
  return "taken";
};

t.test("front matter is parsed as data, the rest is the body", async (t) => {
  t.same(await readFrontMatter(schema, "---\nname: a\ntags: [b, c]\n---\n# Title\n\n---\nmore\n"), {
    fields: { name: "a", tags: ["b", "c"] },
    kind: "enabled",
    ignored: [],
    body: "# Title\n\n---\nmore",
  });
  t.match(await readFrontMatter(schema, "---\r\nname: a\r\n---\r\nbody\r\n"), { fields: { name: "a" }, body: "body" });
  t.match(await readFrontMatter(schema, "---\nname: a\nother: 1\n---"), { ignored: ["other"], body: "" });
  t.match(await readFrontMatter(schema, "---\nname: |\n  two\n  lines\n---\n"), { fields: { name: "two\nlines\n" } });
});

t.test("an error names its line in the file", async (t) => {
  t.match(await refusal("# only text"), /^line 1: expected front matter/);
  t.match(await refusal("---\nname: a\n"), /^line 1: expected front matter/);
  t.match(await refusal("\n---\nname: a\n---\n"), /^line 1: expected front matter/);
  t.match(await refusal("---\n---\n"), /expected a JSON object|expected/);
  t.match(await refusal("---\nname: a\nwhen: Use this: often\n---\n"), /^line 3: invalid YAML/);
  t.match(await refusal("---\nname: a\ntags: [b\n---\n"), /^line \d: invalid YAML/);
  t.match(await refusal("---\nname: a\nname: b\n---\n"), /^line 3: invalid YAML: Map keys must be unique/);
  t.match(await refusal("---\n\nname: 12\n---\n"), /^line 3: name: expected a string/);
  t.match(await refusal("---\nname: a\ntags: [b, 1]\n---\n"), /^line 3: tags\.1: expected a string/);
  t.match(await refusal("---\ntags: []\n---\n"), /^line 1: name: /);
  t.match(await refusal("---\nname: a\ntool: x\n---\n", strict), /^line 3: tool: unknown field/);
  t.match(await refusal("---\n- a list\n---\n"), /expected/);
});

t.test("YAML tags, aliases and oversized front matter are refused", async (t) => {
  t.match(await refusal("---\nname: !!js/function 'x'\n---\n"), /^line 2: invalid YAML: Unresolved tag/);
  t.match(await refusal("---\na: &x [1]\nname: *x\n---\n"), /aliases are not supported/);
  t.match(await refusal("---\nname: *nowhere\n---\n"), /alias/i);
  const bomb = ["a0: &a0 x", ...Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`)];
  t.match(await refusal(`---\nname: a\n${bomb.join("\n")}\n---\n`), /aliases are not supported/);
  t.match(await refusal(`---\nname: ${"[".repeat(8000)}\n---\n`), /^line/);
  t.match(await refusal(`---\nname: ${"x".repeat(20_000)}\n---\n`), /at most 16384 bytes/);
  t.match(await refusal("---\n__proto__: {polluted: true}\nname: a\n---\n"), "taken");
  t.equal(({} as Record<string, unknown>)["polluted"], undefined);
});

t.test("unterminated front matter is refused in linear time", async (t) => {
  t.match(await refusal(`---\n${"a: b\n".repeat(50_000)}`), /expected front matter/);
  t.match(await refusal(`---\n${"--- x\n".repeat(50_000)}`), /expected front matter/);
});
