import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Test } from "tap";
import { freshFolder } from "./folder.ts";
import { until } from "./until.ts";

const PROGRAM = resolve(import.meta.dirname, "../../dist/orchd-broker.cjs");
/** Of every broker that runs apart. */
export const BROKER_PORT = 7701;

/** A broker that runs apart from its daemon, as the built program. */
export async function startApartBroker(
  t: Test,
  {
    secret,
    host,
    daemonUrl,
    env = {},
  }: {
    readonly secret: string;
    readonly host: string;
    readonly daemonUrl: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const file = join(freshFolder(t), "key");
  writeFileSync(file, `${secret}\n`);
  const child = spawn(process.execPath, [PROGRAM, file], {
    env: { POD_IP: host, ORCH_DAEMON_URL: daemonUrl, ...env },
    stdio: "ignore",
  });
  t.teardown(() => child.kill("SIGKILL"));
  const url = `http://${host}:${BROKER_PORT}`;
  await until("it answers probes", async () => (await fetch(`${url}/health`).catch(() => null))?.status === 200);
  return { url, child };
}
