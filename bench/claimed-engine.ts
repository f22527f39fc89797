import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../src/contract/orchestrator/api-keys.ts";
import { encodeLaunch } from "../src/contract/engine/launch.ts";
import { programFor } from "../src/contract/engine/program.ts";
import { launchFilePath } from "../src/orchestrator/fleet/process/launch-file.ts";
import { SpareProcess } from "../src/orchestrator/fleet/process/spares/spare-process.ts";
import { openListener, socketAddress } from "../src/sandbox/sockets/listening-sockets.ts";
import { closeDescriptor } from "../src/sandbox/processes/process-limits.ts";
import { freePort, proportionalMiB, untilHealthy } from "./measure.ts";
import { type Site, installDir } from "./site.ts";

const HOST = "127.0.0.1";

/** A spare of its own, claimed as the daemon claims one: milliseconds from the message to the first healthy answer. */
export async function timeClaim(site: Site): Promise<{ readonly claimMs: number; readonly waitingMiB: number }> {
  const incarnation = randomUUID();
  const folder = join(site.dataDir, `claimed-${incarnation}`);
  mkdirSync(folder);
  const spare = new SpareProcess({
    nodePath: process.execPath,
    nodeOptions: ["--max-old-space-size=768", "--snapshot-blob", join(installDir, "dist", `${programFor({})}.blob`)],
    engineEntry: join(installDir, "bin/orch-engine.cjs"),
    runDir: site.runDir,
    environment: { PATH: process.env["PATH"] },
  });
  await spare.ready;
  const waitingMiB = proportionalMiB(spare.identity.pid);
  const port = await freePort();
  const address = socketAddress(HOST, port);
  if (address === null) throw new Error("no address");
  const [listener, log] = [openListener(address, 511), openSync(join(folder, "engine.log"), "a")];
  const launch = encodeLaunch({
    engine_id: `eng_${incarnation}`,
    incarnation,
    product: "bench",
    user_id: "bench",
    host: HOST,
    port,
    listen_fd: 3,
    data_dir: folder,
    keys: [{ hash: sha256("bench"), expires_at: null }],
    control_token: incarnation,
    settings: {},
    extra_ca_certs: null,
    tool_network: "open",
    tool_listen: [],
    limits: { max_processes: 256, memory_mb: 1024, disk_mb: 2048 },
    isolation: { engine: true, tools: true, sockets: true, required: false, read: [] },
  });
  try {
    const began = performance.now();
    spare.claim(
      { launch_file: launchFilePath(site.runDir, incarnation), owner: null, folder, launch },
      { log, listener },
    );
    await untilHealthy(`http://${HOST}:${port}/health`, (body) => body.includes(incarnation));
    return { claimMs: performance.now() - began, waitingMiB };
  } finally {
    process.kill(spare.identity.pid, "SIGKILL");
    closeDescriptor(listener);
    closeSync(log);
    rmSync(folder, { recursive: true, force: true });
  }
}
