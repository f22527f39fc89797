import type { EngineLaunch } from "../../contract/engine/launch.ts";
import type { Host } from "../../sandbox/programs.ts";
import { ProgramNetwork, type ProgramNetworkOptions } from "../../sandbox/proxy.ts";
import { inBackground } from "../../shared/background.ts";
import type { Logger } from "../../shared/logger.ts";

/** What messages of the sandbox call the tools of an engine, for the model and the operator. */
export const WORDS: Host["words"] = {
  programs: "tools",
  closed: "the engine stops",
  proxy: "the proxy of the engine's tools",
  busy: "the tools of this engine have too many connections open",
  connect: "the policy field tool_network",
  narrowed: "sandbox.network",
  forbidden: "Forbidden by tool_network",
  realm: "orchd tools",
};

export const sandboxHost = (logger: Logger): Host => ({ logger, words: WORDS, inBackground });

/** The network of the engine's tools, as its policy allows. */
export const openToolNetwork = ({
  launch: { tool_network: connect, tool_listen: listen },
  takeOver,
  tunnel,
  outside,
  logger,
}: {
  readonly launch: Pick<EngineLaunch, "tool_network" | "tool_listen">;
  readonly logger: Logger;
} & Pick<ProgramNetworkOptions, "takeOver" | "tunnel" | "outside">): ProgramNetwork =>
  new ProgramNetwork({ connect, listen, takeOver, tunnel, outside, host: sandboxHost(logger) });
