import type { Test } from "tap";
import { sandboxHost } from "../../src/engine/isolation/sandbox-host.ts";
import type { EngineLaunch } from "../../src/contract/engine/launch.ts";
import { ProgramNetwork, type ProgramNetworkOptions } from "../../src/sandbox/proxy/program-network.ts";
import { type Logger, createLogger } from "../../src/shared/logger.ts";

export interface TestNetworkOptions extends Partial<Omit<ProgramNetworkOptions, "connect" | "host">> {
  /** Default: as a policy's. */
  readonly policy?: EngineLaunch["tool_network"];
  readonly logger?: Logger;
}

/** The network of an engine's tools, closed with the test. */
export function testNetwork(
  t: Test,
  { policy = "open", listen = [], logger = createLogger("test", "silent"), ...parts }: TestNetworkOptions = {},
): ProgramNetwork {
  const network = new ProgramNetwork({
    connect: policy,
    listen,
    host: sandboxHost(logger),
    ...parts,
  });
  t.teardown(() => network.close());
  return network;
}
