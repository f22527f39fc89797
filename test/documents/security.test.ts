import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import t from "tap";
import { engineFolders } from "../../src/engine/isolation/file-rules.ts";
import { programFileRules } from "../../src/sandbox/programs/program-files.ts";

const text = readFileSync(resolve(import.meta.dirname, "../../docs/security.md"), "utf8");
const folders = engineFolders("<engine folder>");
const rules = programFileRules({ read: [], write: Object.values(folders) });

/** The paths in the table of what tools can reach. */
const documented = new Set(
  (text.split("<!-- tool files -->")[1]?.split("\n\n")[1] ?? "")
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path)),
);

t.test("each path that tools can reach is documented", async (t) => {
  const undocumented = [...rules.read, ...rules.write].filter(
    (path) => !path.startsWith("/etc/") && ![process.execPath, folders.workspace].includes(path),
  );
  t.strictSame(
    undocumented.filter((path) => !documented.has(path)),
    [],
  );
});

t.test("each documented path is one that tools can reach", async (t) => {
  const reached = new Set([...rules.read, ...rules.write]);
  const spoken = [...documented].filter((path) => path.startsWith("/") || path.startsWith("<"));
  t.ok(spoken.length > 20);
  t.strictSame(
    spoken.filter((path) => !reached.has(path)),
    [],
  );
});

t.test("the tests that the document names exist", async (t) => {
  for (const [, path = ""] of text.matchAll(/`(test\/[\w./-]+)`/g))
    t.ok(existsSync(resolve(import.meta.dirname, "../..", path)), path);
});
