import { chmodSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Test } from "tap";
import { temporaryFolder } from "./run.ts";

/**
 * A fresh folder with a short path, for sockets have short names; removed after the test. Others may pass through it:
 * the bundled PostgreSQL runs as another user when we are root.
 */
export function freshFolder(t: Test, name = "orchd-test"): string {
  const folder = temporaryFolder(name);
  chmodSync(folder, 0o711);
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
