import { isIPv4 } from "node:net";
import * as z from "zod/mini";
import { DockerApi, DockerError, DockerUnreachable } from "./docker-api.ts";

/** The network of containers that name none. */
const NETWORK = "bridge";

const network = z.object({
  IPAM: z.object({
    Config: z.nullable(z.array(z.object({ Gateway: z.optional(z.string()), Subnet: z.optional(z.string()) }))),
  }),
});

/** The address of the Docker host in the network of the engines' containers. Null when the network names none. */
export async function bridgeAddress({ socketPath }: { readonly socketPath: string }): Promise<string | null> {
  try {
    const found = z.parse(network, await new DockerApi(socketPath).call("GET", `/networks/${NETWORK}`));
    const configs = found.IPAM.Config ?? [];
    const named = configs.map(({ Gateway }) => Gateway).find((address) => address !== undefined);
    return named ?? configs.map(({ Subnet }) => firstAddress(Subnet)).find((address) => address !== null) ?? null;
  } catch (error) {
    // A Docker engine that does not answer is reported by the backend.
    if (error instanceof DockerError || error instanceof DockerUnreachable) return null;
    throw error;
  }
}

/** Docker takes the first address of the subnet, but names it only from its second start on. */
function firstAddress(subnet = ""): string | null {
  const [address = "", prefix = ""] = subnet.split("/");
  if (!isIPv4(address) || prefix === "") return null;
  const bytes = address.split(".").map(Number);
  return bytes.with(3, (bytes[3] ?? 0) + 1).join(".");
}
