import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { eraseMemory } from "../../../../src/engine/memory/portability/erase-memory.ts";
import { openStore } from "../../../../src/engine/store/open-store.ts";
import { freshFolder } from "../../../helpers/folder.ts";

const PYTHON = "/usr/bin/python3";
const skip = existsSync(PYTHON) ? false : `needs ${PYTHON}`;
/** Exchanges both the folder of outputs and its parent for links, as fast as it can. */
const EXCHANGE = `import ctypes, os, sys
library = ctypes.CDLL(None)
os.chdir(sys.argv[1])
os.symlink(sys.argv[2], "link")
os.symlink(sys.argv[3], "other")
print("started", flush=True)
while True:
    library.renameat2(-100, b".orch/outputs", -100, b"link", 2)
    library.renameat2(-100, b".orch", -100, b"other", 2)
    library.renameat2(-100, b".orch", -100, b"other", 2)
    library.renameat2(-100, b".orch/outputs", -100, b"link", 2)
`;

t.test("a tool server that exchanges folders during an erasure loses only its own", { skip }, async (t) => {
  const dataDir = freshFolder(t);
  const store = openStore(dataDir);
  t.teardown(() => store.close());
  const [workspaceDir, catalog, outside] = ["workspace", "catalog", "outside"].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [workspaceDir, catalog, join(outside, "outputs")]) mkdirSync(folder, { recursive: true });
  for (const folder of [catalog, join(outside, "outputs")]) writeFileSync(join(folder, "kept"), "");
  for (let time = 0; time < 5; time++) {
    const outputs = join(workspaceDir, ".orch/outputs");
    mkdirSync(outputs, { recursive: true });
    for (let at = 0; at < 200; at++) mkdirSync(join(outputs, `folder-${at}`));
    const attack = spawn(PYTHON, ["-c", EXCHANGE, workspaceDir, catalog, outside], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    t.teardown(() => attack.kill("SIGKILL"));
    await once(attack.stdout, "data");
    for (let turn = 0; turn < 5; turn++) await eraseMemory({ store, workspaceDir }, { seq: 0 } as never);
    attack.kill("SIGKILL");
    await once(attack, "exit");
    t.same([readdirSync(catalog), readdirSync(join(outside, "outputs"))], [["kept"], ["kept"]]);
    t.equal(store.state.get("erasure"), null, "the erasure ends");
    for (const name of ["link", "other", ".orch"]) rmSync(join(workspaceDir, name), { recursive: true, force: true });
  }
});
