import { NOT_ISOLATED } from "../../../contract/launch-file.ts";
import type { IsolationMode, IsolationPart } from "../../../contract/host-records.ts";
import type { HostIsolation } from "../isolation/host-isolation.ts";

const SHARED = "a container does not confine tools apart from their engine";
const FIX = "use the process backend where tools must not reach their engine's files";

/** What a container of its own gives each engine. */
export function containerIsolation(mode: IsolationMode, runtime: string | null): HostIsolation {
  const held = (name: IsolationPart["name"], detail: string): IsolationPart => ({
    name,
    active: true,
    problem: null,
    fix: null,
    detail,
  });
  const missing = (name: IsolationPart["name"]): IsolationPart => ({
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
        held("engine", `a container${by} without capabilities, its root read-only`),
        held("user", "a container of its own, not as root"),
        missing("tools"),
        missing("network"),
      ],
    },
    launch: NOT_ISOLATED,
    hasEngineUsers: false,
  };
}
