import t from "tap";
import { createProgram } from "../../cli/program.ts";
import { readSettings } from "../../cli/settings.ts";
import { namesIn, tableIs } from "./documents.ts";

const FILE = "docs/command-line.md";

t.test("the global options are those of the code, both ways", async (t) => {
  const flags = createProgram(readSettings("/"), () => undefined).options.map((option) => option.flags);
  t.same([...namesIn(FILE, "global options")].sort(), flags.sort(), tableIs(FILE, "global options", "cli/program.ts"));
});
