import t from "tap";
import { readEngineSettings } from "../../src/contract/engine-settings.ts";
import { SETTINGS, type SettingRow } from "../../src/contract/settings.ts";
import { readConfig } from "../../src/orchestrator/daemon/config.ts";
import { EnvironmentReader } from "../../src/shared/environment.ts";
import { codesOf, namesIn, tableRows, withoutBackticks } from "./documents.ts";

const FILE = "docs/settings.md";

/** Notes each variable that is read, with the default it has. */
class RecordingReader extends EnvironmentReader {
  readonly read = new Map<string, unknown>();
  constructor() {
    super({});
  }
  override text(name: string): string | undefined;
  override text(name: string, fallback: string): string;
  override text(name: string, fallback?: string): string | undefined {
    this.read.set(name, fallback);
    return fallback;
  }
  override integer(name: string, fallback: number): number {
    this.read.set(name, fallback);
    return fallback;
  }
  override flag(name: string, fallback: boolean): boolean {
    this.read.set(name, fallback);
    return fallback;
  }
  override choice<T extends string>(name: string, _choices: readonly T[], fallback: T): T {
    this.read.set(name, fallback);
    return fallback;
  }
}

t.test("the daemon's settings are those of the code, both ways, with their defaults", async (t) => {
  const rows = Object.entries<SettingRow>(SETTINGS);
  const names = rows.flatMap(([name, { scope }]) => (scope === "daemon" ? [name] : []));
  t.same([...namesIn(FILE, "daemon settings")].sort(), names.sort());
  const shown = new Map(tableRows(FILE, "daemon settings").map(([name, value]) => [withoutBackticks(name), value]));
  const config = readConfig({ HOME: "/home/someone" }, 1000);
  for (const [name, value] of [
    ["ORCH_HOST", config.host],
    ["ORCH_PORT", config.port],
    ["ORCH_PORT_MIN", config.portMin],
    ["ORCH_PORT_MAX", config.portMax],
    ["ORCH_BOOT_TIMEOUT_S", config.bootTimeoutMs / 1000],
    ["ORCH_HEALTH_INTERVAL_S", config.healthIntervalMs / 1000],
    ["ORCH_LOG_LEVEL", config.logLevel],
  ] as const)
    t.equal(withoutBackticks(shown.get(name)), String(value), name);
});

t.test("the settings of engines are those of the code, both ways, with their defaults", async (t) => {
  const reader = new RecordingReader();
  readEngineSettings(reader, () => undefined);
  t.same([...namesIn(FILE, "engine settings")].sort(), [...reader.read.keys()].sort());
  for (const [name = "", value] of tableRows(FILE, "engine settings")) {
    const fallback = reader.read.get(withoutBackticks(name));
    if (/^\d+$/.test(value ?? "") || typeof fallback === "boolean")
      t.equal(withoutBackticks(value), String(fallback), name);
  }
});

t.test("the providers and their default models are those of the code, both ways", async (t) => {
  const [, , meaning] = tableRows(FILE, "engine settings").find(([name]) => name === "`LLM_PROVIDER`") ?? [];
  const rows = tableRows(FILE, "default models").map(([name, model]) => [withoutBackticks(name), model] as const);
  t.same(
    [...codesOf(meaning)],
    rows.map(([name]) => name),
  );
  for (const [name, model] of rows) {
    const read = readEngineSettings(new EnvironmentReader({ LLM_PROVIDER: name, LLM_API_KEY: "k" }), () => undefined);
    if (read.model === "") t.match(model, /^none; set `LLM_MODEL`/, name);
    else t.equal(withoutBackticks(model), read.model, name);
  }
  t.throws(
    () => {
      const reader = new EnvironmentReader({ LLM_PROVIDER: "nobody" });
      readEngineSettings(reader, () => undefined);
      reader.done();
    },
    { message: `expected one of ${rows.map(([name]) => name).join(", ")}` },
  );
});
