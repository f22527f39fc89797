import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "tap";

/** A fresh folder with a short path, for sockets have short names; removed after the test. */
export function freshFolder(t: Test, name = "orchd-test"): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}
