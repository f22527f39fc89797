import { execFile } from "node:child_process";
import { accessSync, constants, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { engineFolders } from "../../../src/engine/isolation/file-rules.ts";
import { serverEnvironment } from "../../../src/engine/mcp/open-servers.ts";
import { commandEnvironment } from "../../../src/engine/tools/command/command-environment.ts";

function onPath(program: string): string | null {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return realpathSync(join(folder, program));
    } catch {
      // It is not in this folder.
    }
  }
  return null;
}

const npm = onPath("npm") ?? "";
const skip = npm === "" && "there is no npm on PATH";

t.test("npm finds the host's configuration although another Node.js comes first", { skip }, async (t) => {
  const folder = t.testdir();
  const [host, bundled, dataDir] = [join(folder, "host"), join(folder, "bundled"), join(folder, "data")];
  for (const made of [join(host, "bin"), join(host, "etc"), join(bundled, "bin"), join(dataDir, "workspace")])
    mkdirSync(made, { recursive: true });
  symlinkSync(npm, join(host, "bin/npm"));
  symlinkSync(process.execPath, join(bundled, "bin/node"));
  writeFileSync(join(host, "etc/npmrc"), "cafile = /host/certificates.pem\n");
  const PATH = [join(bundled, "bin"), join(host, "bin"), "/usr/bin", "/bin"].join(delimiter);
  const command = commandEnvironment({ PATH }, engineFolders(dataDir));
  const environment = serverEnvironment(command, { extraCaCerts: "/host/extra.pem" });
  const asked = async (name: string) => {
    const options = { env: environment, cwd: join(dataDir, "workspace"), timeout: 60_000 };
    const { stdout } = await promisify(execFile)(join(host, "bin/npm"), ["config", "get", name], options);
    return stdout.trim();
  };
  t.equal(await asked("cafile"), "/host/certificates.pem");
  t.equal(await asked("cache"), join(dataDir, "cache/npm"), "and the cache is not in the user's workspace");
  t.match(environment, { NODE_EXTRA_CA_CERTS: "/host/extra.pem", XDG_CACHE_HOME: join(dataDir, "cache") });
});

t.test("without npm or extra certificates their variables are not set", async (t) => {
  const nowhere = join(t.testdir(), "bin");
  mkdirSync(nowhere);
  const environment = serverEnvironment({ PATH: nowhere }, { extraCaCerts: null });
  t.same(Object.keys(environment).toSorted(), ["PATH", "npm_config_update_notifier"]);
});
