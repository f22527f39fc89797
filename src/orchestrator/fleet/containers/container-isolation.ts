import { NOT_ISOLATED } from "../../../contract/engine/launch-file.ts";
import type { IsolationMode, IsolationPart } from "../../../contract/orchestrator/host.ts";
import type { HostIsolation } from "../isolation/host-isolation.ts";

const SHARED = "a container does not confine tools apart from their engine";
const FIX = "use the process backend where tools must not reach their engine's files";

/** The isolation of engines that each run in a container. */
export function containerIsolation(mode: IsolationMode, runtime: string | null): HostIsolation {
  const active = (name: IsolationPart["name"], detail: string): IsolationPart => ({
    name,
    active: true,
    problem: null,
    fix: null,
    detail,
  });
  const inactive = (name: IsolationPart["name"]): IsolationPart => ({
    name,
    active: false,
    problem: SHARED,
    fix: FIX,
    detail: null,
  });
  const by = runtime === null ? "" : ` by ${runtime}`;
  return {
    report: {
      mode,
      parts: [
        active("engine", `a container${by} without capabilities, its root read-only`),
        active("user", "a container of its own, not as root"),
        inactive("tools"),
        inactive("network"),
      ],
    },
    launch: NOT_ISOLATED,
    hasEngineUsers: false,
  };
}
