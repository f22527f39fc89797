import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import t from "tap";
import { envExample, settingRows } from "../../scripts/settings-document.ts";
import { policyPatch } from "../../src/contract/orchestrator-api.ts";
import { engineEnvProblems, isPlainSetting } from "../../src/contract/engine-env.ts";
import { SETTINGS, type SettingRow, isEngineSetting, isProductSetting } from "../../src/contract/settings.ts";
import { readConfig } from "../../src/orchestrator/daemon/config.ts";

const ROWS = Object.entries<SettingRow>(SETTINGS);

t.test("orchd.env.example is what scripts/settings-document.ts writes", async (t) => {
  const file = resolve(import.meta.dirname, "../../systemd/orchd.env.example");
  t.equal(readFileSync(file, "utf8"), envExample());
});

t.test("a row of the documents' table names its setting, its default and who sets it", async (t) => {
  const rows = new Map(settingRows().map(([name, ...rest]) => [name, rest]));
  t.equal(rows.size, ROWS.length);
  t.same(rows.get("`ORCH_PORT`"), ["`7700`", "operator", "The daemon's port (1 to 65535)"]);
});

t.test("a policy sets the settings of a product, and no others", async (t) => {
  for (const [name, { scope }] of ROWS) {
    const { success } = policyPatch.safeParse({ engine_env: { [name]: null } });
    t.equal(success, scope === "product", name);
  }
  t.ok(isProductSetting("LLM_OF_A_PROVIDER"));
  t.notOk(isProductSetting("LLM_"));
});

t.test("engines get the settings that are theirs from the daemon's environment", async (t) => {
  for (const [name, { scope }] of ROWS) t.equal(isEngineSetting(name), scope !== "daemon", name);
});

t.test("no secret can be read back", async (t) => {
  for (const [name, { scope, secret }] of ROWS)
    if (scope === "product") t.equal(isPlainSetting(name, "https://models.example"), secret !== true, name);
  t.notOk(isPlainSetting("LLM_OF_A_PROVIDER", "x"));
  t.notOk(isPlainSetting("LLM_BASE_URL", "https://user:password@models.example"));
});

t.test("a value outside the bounds of its row is refused by the program that reads it", async (t) => {
  const wrong = ({ value }: SettingRow): readonly string[] => {
    if (value.kind === "integer") return [String(value.min - 1), String(value.max + 1), "many"];
    if (value.kind === "flag") return ["yes"];
    return value.kind === "choice" ? ["unknown"] : [];
  };
  for (const [name, row] of ROWS) {
    for (const value of wrong(row)) {
      t.throws(() => readConfig({ [name]: value }, 0), { message: new RegExp(name) }, `${name}=${value}`);
      if (row.scope === "product") t.match(engineEnvProblems({ [name]: value }), [{ name }]);
    }
  }
});
