import type { Test } from "tap";
import type { EngineLaunch } from "../../src/contract/engine-launch.ts";
import { ToolNetwork, type ToolNetworkParts } from "../../src/engine/isolation/network/tool-network.ts";
import { createLogger } from "../../src/shared/logger.ts";

export interface TestNetworkOptions extends Partial<Omit<ToolNetworkParts, "launch">> {
  /** Default: as a policy's. */
  readonly policy?: EngineLaunch["tool_network"];
  readonly listen?: readonly number[];
}

/** The network of an engine's tools, closed with the test. */
export function testNetwork(t: Test, { policy = "open", listen = [], ...parts }: TestNetworkOptions = {}): ToolNetwork {
  const network = new ToolNetwork({
    launch: { tool_network: policy, tool_listen: [...listen] },
    logger: createLogger("test", "silent"),
    ...parts,
  });
  t.teardown(() => network.close());
  return network;
}
