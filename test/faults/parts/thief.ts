import { once } from "node:events";
import { chmodSync } from "node:fs";
import { type Server, createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Test } from "tap";

export interface Thief {
  /** The ports that it listens on. */
  readonly held: readonly number[];
  /** How many of the next ports of engines it takes before they bind. */
  steals(count: number): void;
  take(port: number): Promise<void>;
  dispose(): Promise<void>;
}

/** Waits until engines (`is-robbed`) of a data folder report their port, and lets each continue. */
export async function startThief(t: Test, dataDir: string): Promise<Thief> {
  const servers = new Map<number, Server>();
  let left = 0;
  const take = async (port: number) => {
    const server = createHttpServer((_, response) => response.end(`{"status":"ok","who":"a stranger"}`));
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    servers.set(port, server);
  };
  const dispose = async () => {
    for (const server of servers.values()) {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
    servers.clear();
  };
  const ear = createServer((socket) => {
    socket.once("data", async (port) => {
      if (left-- > 0) await take(Number(port.toString()));
      socket.write("go on");
    });
    socket.on("error", () => undefined);
  });
  ear.listen(join(dataDir, "thief.sock"));
  await once(ear, "listening");
  // Engines have users of their own.
  chmodSync(join(dataDir, "thief.sock"), 0o777);
  t.teardown(async () => {
    ear.close();
    await dispose();
  });
  return {
    get held() {
      return [...servers.keys()];
    },
    steals: (count) => void (left = count),
    take,
    dispose,
  };
}
