import type { EngineIsolation } from "../../src/contract/engine/launch-file.ts";
import { socketSupervisionProblem } from "../../src/sandbox/sockets/supervision-problem.ts";

/** Why no thread can supervise the sockets of tools here; false where it can. */
export const cannotSupervise = socketSupervisionProblem()?.problem ?? false;

/** All that this host has for an engine and its tools. */
export const CONFINED: EngineIsolation = {
  engine: true,
  tools: true,
  sockets: cannotSupervise === false,
  required: false,
  read: [],
};
