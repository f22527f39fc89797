import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { passed, warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";

const NAME = "embeddings";
const REMEDY = "check ENGINE_EMBEDDINGS_URL, _MODEL and _KEY; searches go by words meanwhile";

/**
 * Checks that endpoints make vectors of the memories of running engines, and of products' documents. No check where
 * nothing has an endpoint.
 */
export function checkEmbeddings(host: Pick<HostContext, "live" | "embeddings">): readonly HostCheck[] {
  return [...ofMemories(host), ...ofDocuments(host)];
}

function ofMemories({ live }: Pick<HostContext, "live">): readonly HostCheck[] {
  const known = live.all().flatMap(({ report }) => report?.embeddings ?? []);
  if (known.length === 0) return [];
  const waiting = known.reduce((sum, one) => sum + one.waiting, 0);
  const memories = `${waiting} memories of ${known.length} running engines wait for their vector`;
  const failing = known.flatMap((one) => one.last_error ?? []);
  const [error] = failing;
  if (error === undefined) return [passed(NAME, memories)];
  return [warned(NAME, `${memories}; the last call of ${failing.length} engines failed: ${error}`, REMEDY)];
}

function ofDocuments({ embeddings }: Pick<HostContext, "embeddings">): readonly HostCheck[] {
  return embeddings
    .errors()
    .map(({ productId, error }) =>
      warned(NAME, `the last call for the documents of product ${productId} failed: ${error}`, REMEDY),
    );
}
