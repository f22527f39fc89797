import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import t from "tap";
import { shownProcess } from "../../src/contract/orchestrator/engine-handle.ts";
import { createProcessBackend } from "../../src/orchestrator/fleet/process/process-backend.ts";
import { daemonThatDies, readText, silent, testFleet } from "../helpers/fleet.ts";
import { boundedHierarchies } from "../helpers/limits.ts";
import { conformance } from "./conformance.ts";
import { CONTROL_TOKEN, PROVIDER_KEY } from "./under-test.ts";

const hierarchies = boundedHierarchies();
const options = {
  cgroupHierarchies: hierarchies ?? [],
  folderProgram: resolve(import.meta.dirname, "../../dist/orchd-folder.cjs"),
};
const fleet = testFleet(t, "by-user", options);
const other = testFleet(t, "by-user", options);
const { runDir } = fleet.settings;

const daemon = (settings: Partial<typeof fleet.settings> = {}) => {
  const backend = createProcessBackend({ ...fleet.settings, ...settings, logger: silent });
  t.teardown(() => backend.sockets.close());
  return backend;
};

t.test("the process backend", (t) =>
  conformance(t, {
    backend: fleet.backend,
    laterDaemon: () => daemon(),
    otherDeployment: () => other.backend,
    brokenDaemon: () => daemon({ nodePath: "/nowhere/node" }),
    order: async (user = "does-as-told", more = {}) => fleet.order({ user_id: user, ...more }),
    async launchAndDie(order) {
      const { daemon, handle } = await daemonThatDies(fleet, order);
      daemon.kill("SIGKILL");
      return handle;
    },
    async running({ launch }) {
      const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
      return pids.filter((pid) => readText(`/proc/${pid}/environ`).includes(`launch-${launch.incarnation}.json`))
        .length;
    },
    async visible({ handle }) {
      const { pid } = shownProcess(handle);
      return readText(`/proc/${pid}/environ`) + readText(`/proc/${pid}/cmdline`);
    },
    async holdsSecrets({ launch }) {
      const texts = readdirSync(runDir).map((name) => readText(join(runDir, name)));
      return texts.some(
        (text) => text.includes(launch.incarnation) && (text.includes(CONTROL_TOKEN) || text.includes(PROVIDER_KEY)),
      );
    },
    async kill({ handle }) {
      process.kill(shownProcess(handle).pid ?? 0, "SIGKILL");
    },
    ofEarlierBoot: (handle) => ({ ...handle, bootId: crypto.randomUUID() }),
    limitsMemory: hierarchies !== null,
    holdsSockets: true,
    takesHostPorts: true,
    reportsAtOnce: true,
    reportsUsage: true,
    readsStorage: true,
  }),
);
