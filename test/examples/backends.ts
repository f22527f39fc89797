import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { Test } from "tap";
import { type Daemon, freePort, startDaemon } from "../helpers/daemon.ts";
import { freshFolder } from "../helpers/folder.ts";
import { freshDatabaseUrl } from "../helpers/shared-postgres.ts";
import { until } from "../helpers/until.ts";

export const root = resolve(import.meta.dirname, "../..");

/** Why the example in Python cannot run here; `false` when it can. */
export function withoutPython(): string | false {
  try {
    execFileSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"], { stdio: "ignore" });
    return false;
  } catch {
    return "python3 (3.9 or newer) is not installed";
  }
}

/** The two backends, by the program that runs them. */
export const BACKENDS = {
  typescript: [process.execPath, join(root, "examples/typescript/server.ts")],
  python: ["python3", join(root, "examples/python/server.py")],
} as const;

export interface Product {
  readonly daemon: Daemon;
  readonly platformKey: string;
}

/** A daemon of the test's own with one product. */
export async function startProduct(t: Test): Promise<Product> {
  const daemon = await startDaemon(t, { dataDir: freshFolder(t), databaseUrl: await freshDatabaseUrl(t) });
  const { body } = await daemon.admin("/products/register", { method: "POST", body: { slug: "shop" } });
  t.teardown(() => daemon.admin("/products/shop?force=true", { method: "DELETE" }));
  return { daemon, platformKey: body.platform_api_key };
}

export interface Backend {
  readonly url: string;
  readonly keysFile: string;
  stop(): Promise<void>;
}

/** Starts a backend as its README says, on a free port, and waits until it listens. */
export async function startBackend(
  t: Test,
  [program, ...args]: readonly [string, ...string[]],
  { product, keysFile = join(freshFolder(t), "engine-keys.json") }: { product: Product; keysFile?: string },
): Promise<Backend> {
  const port = await freePort();
  const child: ChildProcess = spawn(program, args, {
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: freshFolder(t, "home"),
      PLATFORM_KEY: product.platformKey,
      ORCH_URL: product.daemon.url,
      PORT: String(port),
      KEYS_FILE: keysFile,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill();
    await exited;
  };
  t.teardown(stop);
  await until("the backend listens", () => {
    if (child.exitCode !== null) throw new Error(`the backend ended with ${child.exitCode}:\n${output}`);
    return output.includes("the backend listens at");
  });
  return { url: `http://127.0.0.1:${port}`, keysFile, stop };
}
