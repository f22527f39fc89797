import t from "tap";
import { PROVIDERS, readEngineSettings } from "../../src/contract/settings/engine-settings.ts";
import { SETTINGS, type SettingRow } from "../../src/contract/settings/settings.ts";
import { EnvironmentReader } from "../../src/shared/environment.ts";
import { namesIn, tableIs, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/settings.md";
const ROWS = Object.entries<SettingRow>(SETTINGS);

t.test("an engine reads every setting of its table", async (t) => {
  const names = new Set<string>();
  const settings = new Proxy<Record<string, string>>({}, { get: (_, name) => void names.add(String(name)) });
  readEngineSettings(new EnvironmentReader(settings), () => undefined);
  const rows = ROWS.flatMap(([name, { scope }]) => (scope === "daemon" ? [] : [name]));
  t.same([...names].sort(), rows.sort(), "readEngineSettings (actual) reads each row of agent-settings.ts (expected)");
});

t.test("the providers and their default models are those of the code, both ways", async (t) => {
  for (const [path, marker] of [
    [FILE, "default models"],
    ["docs/attachments.md", "provider attachments"],
  ] as const)
    t.same(namesIn(path, marker), PROVIDERS, tableIs(path, marker, "PROVIDERS in src/contract/settings"));
  for (const [cell, model] of tableRows(FILE, "default models")) {
    const name = withoutBackticks(cell);
    const read = readEngineSettings(new EnvironmentReader({ LLM_PROVIDER: name, LLM_API_KEY: "k" }), () => undefined);
    if (read.model === "") t.match(model, /^none; set `LLM_MODEL`/, name);
    else t.equal(withoutBackticks(model), read.model, name);
  }
});
