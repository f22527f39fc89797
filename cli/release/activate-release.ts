import { rm } from "node:fs/promises";
import { join } from "node:path";
import { daemonUrl } from "../settings.ts";
import {
  type Layout,
  hasLink,
  linkRelease,
  linkedVersion,
  placeLink,
  readEnvironment,
  releaseFolder,
  systemLinks,
} from "./release-layout.ts";
import { type ServiceManager, awaitReady } from "./service-manager.ts";

export const SERVICE = "orchd.service";

/** The system of an installation. */
export interface Host {
  readonly layout: Layout;
  readonly manager: ServiceManager;
  /** The layout is below another root, in which nothing runs. */
  readonly isImage: boolean;
  /** How long a daemon may take to get ready. */
  readonly readyDeadlineMs?: number;
}

/** Whether the link `current` and all system links point to the version. */
export async function isLinked({ layout }: Pick<Host, "layout">, version: string): Promise<boolean> {
  if ((await linkedVersion(layout.current)) !== version) return false;
  const links = await systemLinks(layout, releaseFolder(layout, version));
  return (await Promise.all([...links].map(([link, target]) => hasLink(link, target)))).every(Boolean);
}

/** Points the link `current` and the system links to a version. Links to missing parts are removed. */
export async function linkSystem({ layout }: Pick<Host, "layout">, version: string): Promise<void> {
  const before = await linkedVersion(layout.current);
  const links = await systemLinks(layout, releaseFolder(layout, version));
  const old = before === null ? new Map<string, string>() : await systemLinks(layout, releaseFolder(layout, before));
  await linkRelease(layout.current, version);
  for (const [link, target] of links) await placeLink(link, target);
  for (const link of old.keys()) if (!links.has(link)) await rm(link, { force: true });
}

/** Makes a version the current one and starts it. Engines keep running meanwhile. Throws when it does not get ready. */
export async function activateRelease(host: Host, version: string): Promise<void> {
  await linkSystem(host, version);
  await applySystemFiles(host);
  await host.manager.run("systemctl", ["restart", SERVICE]);
  await awaitService(host, version);
}

export const awaitService = async (host: Host, version: string): Promise<void> =>
  awaitReady(host.manager, { url: await serviceUrl(host), version, deadlineMs: host.readyDeadlineMs });

/** The version of the daemon that is ready. Null without one. */
export const runningVersion = async (host: Host): Promise<string | null> =>
  (await host.manager.probe(await serviceUrl(host))).version;

/** Reloads systemd's units, and creates the user and folders that they need. */
export async function applySystemFiles({ layout, manager }: Host): Promise<void> {
  await manager.run("systemd-sysusers", [join(layout.root, "etc/sysusers.d/orchd.conf")]);
  await manager.run("systemd-tmpfiles", ["--create", join(layout.root, "etc/tmpfiles.d/orchd.conf")]);
  await manager.run("systemctl", ["daemon-reload"]);
}

/** The service's address, by its environment file. */
export async function serviceUrl({ layout }: Pick<Host, "layout">): Promise<string> {
  const { ORCH_HOST: host, ORCH_PORT: port } = await readEnvironment(layout);
  return daemonUrl({ host: host || undefined, port: port || undefined });
}
