import { once } from "node:events";
import { statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { exists } from "../../src/shared/files.ts";
import { CliFailure } from "../exit-codes.ts";
import { type Host, serviceUrl } from "./activate-release.ts";
import { type UnpackedRelease, sizeOf } from "./copy-release.ts";

/** Free space that a release leaves, for the database and the log. */
const SPARE_BYTES = 300e6;

/** Throws unless the steps may change this system. A dry run needs no privileges. */
export async function checkHost({ isImage }: Pick<Host, "isImage">, { yes }: { readonly yes: boolean }): Promise<void> {
  if (isImage) return;
  if (yes && process.getuid?.() !== 0) throw new CliFailure("denied", "only root may do this; use sudo");
  if (!(await exists("/run/systemd/system"))) {
    throw new CliFailure(
      "conflict",
      "this host was not booted with systemd; --root installs into an image of one that is",
    );
  }
}

export async function checkRelease({ layout }: Pick<Host, "layout">, release: UnpackedRelease): Promise<void> {
  const { version, arch } = release.manifest;
  if (process.arch !== arch) {
    throw new CliFailure("conflict", `${version} is for ${arch} processors, this one is ${process.arch}`);
  }
  const { bavail, bsize } = await statfs(await existingParent(layout.releases));
  const [free, needed] = [bavail * bsize, (await sizeOf(release)) + SPARE_BYTES];
  if (free < needed) {
    throw new CliFailure(
      "conflict",
      `${layout.releases} has ${megabytes(free)} MB free, ${version} needs ${megabytes(needed)}`,
    );
  }
}

/** Throws when another program listens where the daemon will. For a first installation: later it is the daemon itself. */
export async function checkPort(host: Pick<Host, "layout">): Promise<void> {
  const { hostname, port } = new URL(await serviceUrl(host));
  const server = createServer();
  try {
    server.listen(Number(port), hostname.replace(/^\[|\]$/g, ""));
    await once(server, "listening");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliFailure(
      "conflict",
      `${reason}; set another ORCH_HOST or ORCH_PORT in ${host.layout.environment} first`,
    );
  } finally {
    server.close();
  }
}

async function existingParent(folder: string): Promise<string> {
  return (await exists(folder)) ? folder : existingParent(dirname(folder));
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);
