import type { EngineRecord } from "@orchd/client";
import { Copy } from "../../parts/copy.tsx";
import { Fact } from "../../parts/fact.tsx";
import { NONE, formatCount, formatMb, formatPercent } from "../../parts/format.ts";
import { Ago } from "../../parts/time.tsx";
import { linkTo } from "../../routing/address.ts";
import { stateReason } from "../fleet/state-reason.ts";

/** The engine's record. */
export const EngineFacts = ({ engine }: { readonly engine: EngineRecord }) => {
  const { usage, restarts, catalog, api_key, awake } = engine;
  const reason = stateReason(engine);
  return (
    <>
      <dl class="facts">
        {reason !== "" && (
          <Fact name="Reason" isLong>
            {reason}
          </Fact>
        )}
        <Fact name="CPU">{formatPercent(usage?.cpu_percent)}</Fact>
        <Fact name="Memory">{formatMb(usage?.memory_mb)}</Fact>
        <Fact name="Disk">{formatMb(usage?.disk_mb)}</Fact>
        <Fact name="Turns">
          {formatCount(usage?.work?.turns)}
          {(usage?.work?.failed_turns ?? 0) > 0 && `, ${formatCount(usage?.work?.failed_turns)} failed`}
        </Fact>
        <Fact name="Running turns">{formatCount(usage?.active_turns)}</Fact>
        <Fact name="Restarts">
          {formatCount(restarts.count)}
          {restarts.next_at !== null && (
            <>
              , next <Ago at={restarts.next_at} />
            </>
          )}
        </Fact>
        <Fact name="Last active">
          <Ago at={engine.last_active_at} />
        </Fact>
        <Fact name="Started">
          <Ago at={engine.started_at} />
          {awake?.woken_by !== null && awake?.woken_by !== undefined && ` by ${awake.woken_by}`}
        </Fact>
        <Fact name="Created">
          <Ago at={engine.created_at} />
        </Fact>
        <Fact name="Plan">
          <a href={linkTo(`/engines/${engine.id}/policy`)}>{engine.plan ?? "none"}</a>
        </Fact>
        <Fact name="Version">{engine.version ?? NONE}</Fact>
        <Fact name="Catalog" isLong={(catalog?.error ?? null) !== null}>
          {catalog === null ? NONE : catalog.error === null ? `version ${catalog.version ?? "unknown"}` : catalog.error}
        </Fact>
      </dl>
      <dl class="facts names">
        <Fact name="Key">
          <code>
            {api_key.prefix}…{api_key.last4}
          </code>
        </Fact>
        <Fact name="Address">
          <code>{engine.url}</code>
        </Fact>
        <Fact name="Id">
          <code>{engine.id}</code> <Copy text={engine.id} />
        </Fact>
      </dl>
    </>
  );
};
