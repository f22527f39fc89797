import type { HostCheck } from "../../../contract/orchestrator/host.ts";
import { passed, warned } from "../../../contract/orchestrator/host-check.ts";
import type { HostContext } from "../../host-context.ts";
import { countStartedBefore } from "../../store/host-engines.ts";

const NAME = "keys";

/** Checks that no engine holds the key of a provider. */
export async function checkBroker({
  broker,
  db,
  live,
}: Pick<HostContext, "broker" | "db" | "live">): Promise<HostCheck> {
  const calling = live.all().filter(({ order }) => [...order.upstreams.keys()].some((name) => name !== "sandbox"));
  if (broker === null)
    return calling.length === 0
      ? passed(NAME, "no engine calls a provider")
      : warned(NAME, `${calling.length} engines hold the keys of their providers`, 'see "Backends" in docs/secrets.md');
  const ids = calling.map(({ id }) => id);
  const holding = broker.since === null ? 0 : await countStartedBefore(db, ids, broker.since);
  if (holding > 0)
    return warned(
      NAME,
      `${holding} engines started before the broker and still hold the keys of their providers`,
      "orchctl engines restart --outdated restarts those of an earlier release a few at a time",
    );
  const restarts = broker.restarts === 0 ? "" : `; it was started again ${broker.restarts} times`;
  return passed(NAME, `those of providers are in the broker, and in no engine${restarts}`);
}
