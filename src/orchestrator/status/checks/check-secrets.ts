import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";
import { sourceProblem } from "../../secrets/read-source.ts";
import { listSources } from "../../store/secrets.ts";

/** Checks the vault: a previous secret key that is still there, and values that cannot be read. No check without either. */
export async function checkSecrets({
  box,
  secrets,
  db,
}: Pick<HostContext, "box" | "secrets" | "db">): Promise<readonly HostCheck[]> {
  const checks: HostCheck[] = [];
  if (box.hasPrevious)
    checks.push(
      warned(
        "secret key",
        "the previous one is still set, and opens what it has encrypted",
        "orchctl secrets rotate-master, then remove ORCH_SECRET_KEY_PREVIOUS or the file secret-key.previous",
      ),
    );
  for (const { slug, name, source } of await listSources(db)) {
    const problem = sourceProblem(secrets.sources, source);
    if (problem === null) continue;
    checks.push(warned("secret", `${name} of ${slug}: ${problem}`, `orchctl secrets list --product ${slug}`));
  }
  return checks;
}
