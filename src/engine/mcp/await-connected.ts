import { delay } from "../../shared/clock.ts";
import type { ToolServers } from "./tool-servers.ts";

const MAX_WAIT_MS = 15_000;
const POLL_MS = 50;

/** Resolves when every server has connected or failed, or after a while: resumed turns wait for their tools. */
export async function awaitConnected(servers: Pick<ToolServers, "list">): Promise<void> {
  const end = Date.now() + MAX_WAIT_MS;
  const isConnecting = () => servers.list().servers.some(({ status }) => status === "connecting");
  while (isConnecting() && Date.now() < end) await delay(POLL_MS);
}
