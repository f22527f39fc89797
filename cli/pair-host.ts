import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ADDRESS_FILE, HOST_ID_FILE } from "../src/contract/orchestrator/data-dir.ts";
import type { Credentials, UnpairedHost } from "./credentials.ts";
import { CliFailure } from "./exit-codes.ts";
import { safe } from "./output.ts";
import { readLine } from "./terminal.ts";

/**
 * Lets a person decide whether the stored keys of the host that answers are sent to an address they were never sent to.
 * Throws without consent.
 */
export async function assertPaired(credentials: Credentials, url: string): Promise<void> {
  const unpaired = await credentials.unpaired();
  if (unpaired === null) return;
  const claim = describeClaim(unpaired, url);
  if (process.stdin.isTTY && process.stderr.isTTY) {
    const reply = await readLine({ prompt: `${claim}. Send them to this address too? [y/N] ` });
    if (reply.kind === "interrupted") throw new CliFailure("interrupted", "interrupted");
    if (reply.kind === "line" && /^y(es)?$/i.test(reply.text.trim())) return credentials.pair(unpaired);
  }
  throw new CliFailure(
    "denied",
    `${claim}; they were not sent`,
    undefined,
    `if it is this host: orchctl key pair --url ${safe(url)}, or ORCH_DATA_DIR as for its daemon on this machine`,
  );
}

const describeClaim = ({ hostId, urls }: UnpairedHost, url: string): string =>
  `${url} says that it is ${hostId}, whose keys are stored for ${urls.join(", ")}`;

/**
 * Whether the data folder says that this host listens at the address. Its files can be written only by the daemon's user
 * and root, unlike the answer of whoever listens there.
 */
export async function isOwnHost(hostId: string, { dataDir, url }: { readonly dataDir: string; readonly url: string }) {
  const read = async (name: string) => (await readFile(join(dataDir, name), "utf8").catch(() => "")).trim();
  const [storedId, address] = await Promise.all([read(HOST_ID_FILE), read(ADDRESS_FILE)]);
  return storedId === hostId && address !== "" && originOf(address) === originOf(url);
}

const originOf = (url: string): string | undefined => URL.parse(url.replace("//localhost", "//127.0.0.1"))?.origin;
