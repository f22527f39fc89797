import t from "tap";
import { ENGINE_EVENTS } from "../../src/contract/engine/events.ts";
import { readScript } from "../../src/engine/model/sandbox-script.ts";
import { documentText, namesIn } from "./documents.ts";

const FILE = "docs/engine-api.md";

t.test("the tree of events has those of the code", async (t) => {
  const types = Object.keys(ENGINE_EVENTS).sort();
  const [, tree = ""] = /```\n(thread_lifecycle[^]*?)```/.exec(documentText(FILE)) ?? [];
  const inTree = [...tree.matchAll(/^[│├└─ ]*([a-z_]+)/gm)].map(([, type = ""]) => type);
  t.same(
    types.filter((type) => type !== "error"),
    [...new Set(inTree)].filter((type) => type !== "or").sort(),
    `the tree of events in ${FILE} (expected) has every event but "error" (actual)`,
  );
  t.match(tree, /then `error` as the very last event/);
});

t.test("the sandbox commands are those of the code, both ways", async (t) => {
  const named = namesIn(FILE, "sandbox commands").filter((name) => name.startsWith("/"));
  const [refusal] = readScript("/nonsense") ?? [];
  // An unknown command lists the known ones.
  const [, ...known] = (refusal?.kind === "say" ? refusal.text : "").match(/\/[a-z]+/g) ?? [];
  t.same([...new Set(named.map((name) => name.split(" ")[0]))], known);
  for (const line of named) t.not(readScript(line)?.[0]?.kind, undefined, line);
});
