import * as z from "zod/mini";
import { DockerApi, DockerError, DockerUnreachable } from "./docker-api.ts";

/** The network of containers that name none. */
const NETWORK = "bridge";

const network = z.object({
  IPAM: z.object({ Config: z.nullable(z.array(z.object({ Gateway: z.optional(z.string()) }))) }),
});

/** The address of the Docker host in the network of the engines' containers. Null when the network names none. */
export async function bridgeAddress({ socketPath }: { readonly socketPath: string }): Promise<string | null> {
  try {
    const found = z.parse(network, await new DockerApi(socketPath).call("GET", `/networks/${NETWORK}`));
    return (found.IPAM.Config ?? []).map(({ Gateway }) => Gateway).find((address) => address !== undefined) ?? null;
  } catch (error) {
    // A Docker engine that does not answer is reported by the backend.
    if (error instanceof DockerError || error instanceof DockerUnreachable) return null;
    throw error;
  }
}
