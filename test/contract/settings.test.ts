import t from "tap";
import { policyPatch } from "../../src/contract/orchestrator/requests.ts";
import { engineEnvProblems, isPlainSetting } from "../../src/contract/engine/environment.ts";
import { SETTINGS, type SettingRow, isEngineSetting, isProductSetting } from "../../src/contract/settings/settings.ts";
import { readConfig } from "../../src/orchestrator/daemon/config.ts";

const ROWS = Object.entries<SettingRow>(SETTINGS);

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
    if (value.kind === "integer" || value.kind === "integer or auto")
      return [String(value.min - 1), String(value.max + 1), "many", "Auto"];
    if (value.kind === "flag") return ["yes"];
    return value.kind === "choice" ? ["unknown"] : [];
  };
  for (const [name, row] of ROWS) {
    for (const value of wrong(row)) {
      t.throws(
        () => readConfig({ [name]: value }, 0),
        { message: new RegExp(name) },
        `${name}=${value} is refused by readConfig or readEngineSettings`,
      );
      if (row.scope === "product") t.match(engineEnvProblems({ [name]: value }), [{ name }]);
    }
  }
});
