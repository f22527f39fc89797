import { useEffect, useState } from "preact/hooks";
import { onEvents } from "../../live/events.ts";
import { useResource } from "../../live/resource.ts";
import { usePolling } from "../../live/samples.ts";
import { useAction } from "../../parts/action.ts";
import { Fact } from "../../parts/fact.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { formatDuration, formatMb } from "../../parts/format.ts";
import { admin } from "../../session/clients.ts";
import { may } from "../../session/session.ts";

const REFRESH_MS = 15_000;

/** The host in one line, with drain and resume, and what is wrong with it. */
export const HostBar = () => {
  const { data: status, reload } = useResource((signal) => admin.status({ signal }), []);
  const { isBusy, run } = useAction();
  const [isAsking, setAsking] = useState(false);
  usePolling(reload, REFRESH_MS);
  useEffect(() => onEvents((events) => events.some(({ type }) => type.startsWith("host.")) && reload()), []);
  if (status === null) return <div class="host-bar" aria-busy="true" />;
  const { draining, load, awake, boots, version, uptime_s, breaker, warnings } = status;
  const drain = async () => {
    await run(() => admin.drain(), "The host accepts no new engines.");
    setAsking(false);
    reload();
  };
  const resume = async () => {
    await run(() => admin.resume(), "The host accepts new engines.");
    reload();
  };
  return (
    <>
      <div class="host-bar">
        <dl class="facts inline">
          <Fact name="Version">{version}</Fact>
          <Fact name="Up">{formatDuration(uptime_s)}</Fact>
          <Fact name="Awake">{awake.limit === null ? `${awake.engines}` : `${awake.engines} of ${awake.limit}`}</Fact>
          <Fact name="Booting">{`${boots.starting}${boots.waiting > 0 ? `, ${boots.waiting} waiting` : ""}`}</Fact>
          <Fact name="Load">{`${load.average.toFixed(1)} on ${load.cores} cores`}</Fact>
          <Fact name="Memory free">{`${formatMb(load.memory_available_mb)} of ${formatMb(load.memory_total_mb)}`}</Fact>
          <Fact name="Disk free">{formatMb(load.disk_free_mb)}</Fact>
        </dl>
        {may("admin") && (
          <button type="button" disabled={isBusy} onClick={() => (draining ? void resume() : setAsking(true))}>
            {draining ? "Resume host" : "Drain host"}
          </button>
        )}
      </div>
      {draining && <p class="callout">This host is draining: it accepts no new engines. Those that exist continue.</p>}
      {breaker === "open" && <p class="callout problem">Many engines failed at once, so restarts pause.</p>}
      {warnings.length > 0 && (
        <details class="callout">
          <summary>{warnings.length === 1 ? "1 warning" : `${warnings.length} warnings`} about this host</summary>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
      {isAsking && (
        <Confirm
          title="Drain this host"
          action="Drain host"
          isBusy={isBusy}
          onConfirm={() => void drain()}
          onClose={() => setAsking(false)}
        >
          <p>
            The host accepts no new engines until it is resumed, also after a restart of the daemon. Engines that exist
            continue.
          </p>
        </Confirm>
      )}
    </>
  );
};
