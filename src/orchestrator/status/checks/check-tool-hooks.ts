import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";

/** Checks the hooks on tools that have not decided lately. No check without one. */
export async function checkToolHooks({
  hookFailures,
  directory,
}: Pick<HostContext, "hookFailures" | "directory">): Promise<readonly HostCheck[]> {
  const checks: HostCheck[] = [];
  for (const [productId, { calls, error }] of hookFailures.all()) {
    const slug = await directory.slugOf(productId).catch(() => null);
    if (slug === null) continue;
    const times = calls === 1 ? "its last call" : `its last ${calls} calls`;
    checks.push(
      warned("tool hook", `that of ${slug} did not decide about ${times}: ${error}`, `orchctl products show ${slug}`),
    );
  }
  return checks;
}
