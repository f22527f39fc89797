import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { passed, warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";

const NAME = "embeddings";

/** Checks that the endpoints of running engines make vectors of their memories. No check where no engine has one. */
export function checkEmbeddings({ live }: Pick<HostContext, "live">): readonly HostCheck[] {
  const known = live.all().flatMap(({ report }) => report?.embeddings ?? []);
  if (known.length === 0) return [];
  const waiting = known.reduce((sum, one) => sum + one.waiting, 0);
  const memories = `${waiting} memories of ${known.length} running engines wait for their vector`;
  const failing = known.flatMap((one) => one.last_error ?? []);
  const [error] = failing;
  if (error === undefined) return [passed(NAME, memories)];
  return [
    warned(
      NAME,
      `${memories}; the last call of ${failing.length} engines failed: ${error}`,
      "check ENGINE_EMBEDDINGS_URL, _MODEL and _KEY; searches go by words meanwhile",
    ),
  ];
}
