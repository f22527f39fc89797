import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { toolBench } from "../../helpers/tool-context.ts";
import { catalogBench, skillFile } from "./catalog-bench.ts";

async function skillTool(t: Test, files: Readonly<Record<string, string | Buffer>>) {
  const catalog = catalogBench(t, files);
  const tool = (await catalog.live()).tools().find(({ name }) => name === "use_skill");
  if (tool === undefined) throw new Error("no use_skill");
  return { tool, bench: toolBench(t), folder: catalog.folder, write: catalog.write };
}

t.test("a skill is read when it is used, and its files by their names", async (t) => {
  const { tool, bench, folder, write } = await skillTool(t, {
    "skills/tables/SKILL.md": skillFile("tables"),
    "skills/tables/scripts/count.py": "print(1)",
    "skills/tables/references/a.md": "about a",
    "skills/alone/SKILL.md": skillFile("alone"),
  });
  t.equal(tool.permission, "allow");
  t.same((await bench.run(tool, { name: "tables" })).output, {
    file: "SKILL.md",
    content: skillFile("tables"),
    folder: join(folder, "skills/tables"),
    files: ["references/a.md", "scripts/count.py"],
  });
  t.match((await bench.run(tool, { name: "tables", file: "references/a.md" })).output, { content: "about a" });
  write("skills/alone/SKILL.md", `${skillFile("alone")}newer`);
  t.same((await bench.run(tool, { name: "alone" })).output, {
    file: "SKILL.md",
    content: `${skillFile("alone")}newer`,
  });
  t.match((await bench.run(tool, { name: "research-report" })).output, { content: /A report with sources/ });
});

t.test("only text files of the skill can be read", async (t) => {
  const { tool, bench, folder } = await skillTool(t, {
    "skills/tables/SKILL.md": skillFile("tables"),
    "skills/tables/picture.png": Buffer.from([0x89, 0x50, 0, 1, 0xff]),
    "skills/tables/large.md": Buffer.alloc(300_000, 0x61),
    "skills/other/SKILL.md": skillFile("other"),
    "secrets/token": "hush",
  });
  const outside = join(folder, "..", "elsewhere");
  mkdirSync(outside);
  writeFileSync(join(outside, "a.md"), "hush");
  symlinkSync(outside, join(folder, "skills/tables/away"));
  symlinkSync("..", join(folder, "skills/tables/up"));
  symlinkSync(".", join(folder, "skills/tables/round"));
  const errorOf = async (input: Record<string, unknown>) => (await bench.run(tool, input)).error;
  for (const file of ["../../secrets/token", "/etc/passwd", "away/a.md", "up/other/SKILL.md", "absent.md", ".", "a\0b"])
    t.match(await errorOf({ name: "tables", file }), /the file does not exist|leads out|expected a file/);
  t.match(await errorOf({ name: "tables", file: "picture.png" }), /expected UTF-8 text/);
  t.match(await errorOf({ name: "tables", file: "large.md" }), /expected at most 262144 bytes/);
  t.match(await errorOf({ name: "../agents" }), /unknown skill .*; expected one of: .*tables/);
  t.match(await errorOf({ name: "constructor" }), /unknown skill/);
  t.match(await errorOf({ name: "research-report", file: "x" }), /the file does not exist/);
  t.match((await bench.run(tool, { name: "tables" })).output, { files: /away|round/ }, "links lead nobody in circles");
});
