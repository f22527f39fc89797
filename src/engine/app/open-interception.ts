import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { ProgramFolders } from "../../sandbox/programs.ts";
import type { ProgramNetworkOptions } from "../../sandbox/proxy.ts";
import { HostTunnels } from "../secrets/host-tunnels.ts";
import type { ToolSecrets } from "../secrets/tool-secrets.ts";
import { writeTrusted } from "../secrets/trusted-certificates.ts";
import { TRUSTED_VARIABLE } from "../tools/command/command-environment.ts";

interface Interception {
  readonly network: Pick<ProgramNetworkOptions, "tunnel">;
  /** Writes what tools trust into their temporary folder. The variable that names it. */
  readonly trust: (folders: ProgramFolders) => Readonly<Record<string, string>>;
}

/** What tools of an engine need whose policy lets the broker end their TLS to hosts of secrets. */
export function openInterception(
  { broker, intercept_ca: authority, extra_ca_certs: extraCaCerts }: EngineLaunch,
  secrets: ToolSecrets,
): Interception {
  if (broker === undefined || authority === undefined) return { network: {}, trust: () => ({}) };
  return {
    network: { tunnel: new HostTunnels(broker, secrets).tunnel },
    trust: ({ temporary }) => ({ [TRUSTED_VARIABLE]: writeTrusted(temporary, { authority, extraCaCerts }) }),
  };
}
