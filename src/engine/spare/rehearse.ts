import { mkdirSync, rmSync } from "node:fs";
import type { RequestListener } from "node:http";
import { duplexPair } from "node:stream";
import { createServer } from "node:http";

export async function rehearse(folder: string, open: (folder: string) => Promise<{ answer: RequestListener; close(): Promise<void> }>): Promise<void> {
  mkdirSync(folder, { recursive: true });
  try {
    const app = await open(folder);
    void createServer; void duplexPair; void app;
    await app.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
