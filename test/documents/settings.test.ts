import t from "tap";
import { PROVIDERS, readEngineSettings } from "../../src/contract/engine-settings.ts";
import { SETTINGS, type SettingRow } from "../../src/contract/settings.ts";
import { EnvironmentReader } from "../../src/shared/environment.ts";
import { codesOf, namesIn, tableIs, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/settings.md";
const ROWS = Object.entries<SettingRow>(SETTINGS);
const TABLES = [
  { marker: "daemon settings", source: "daemon-settings.ts", isPart: ({ scope }: SettingRow) => scope === "daemon" },
  { marker: "engine settings", source: "agent-settings.ts", isPart: ({ scope }: SettingRow) => scope !== "daemon" },
];

for (const { marker, source, isPart } of TABLES) {
  t.test(`the ${marker} are those of the code, both ways, with their defaults`, async (t) => {
    const rows = ROWS.filter(([, row]) => isPart(row));
    const names = rows.map(([name]) => name);
    t.same([...namesIn(FILE, marker)].sort(), names.sort(), tableIs(FILE, marker, `src/contract/settings/${source}`));
    const shown = new Map(tableRows(FILE, marker).map(([name, value]) => [withoutBackticks(name), value]));
    for (const [name, { value }] of rows)
      if (value.fallback !== null)
        t.equal(withoutBackticks(shown.get(name)), String(value.fallback), `${FILE} shows the default of ${name}`);
  });
}

t.test("an engine reads every setting of its table", async (t) => {
  const names = new Set<string>();
  const settings = new Proxy<Record<string, string>>({}, { get: (_, name) => void names.add(String(name)) });
  readEngineSettings(new EnvironmentReader(settings), () => undefined);
  const rows = ROWS.flatMap(([name, { scope }]) => (scope === "daemon" ? [] : [name]));
  t.same([...names].sort(), rows.sort(), "readEngineSettings (actual) reads each row of agent-settings.ts (expected)");
});

t.test("the providers and their default models are those of the code, both ways", async (t) => {
  const [, , meaning] = tableRows(FILE, "engine settings").find(([name]) => name === "`LLM_PROVIDER`") ?? [];
  t.same(codesOf(meaning), PROVIDERS, `LLM_PROVIDER in ${FILE} (actual) names PROVIDERS (expected)`);
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
