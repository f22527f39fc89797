import type { NotificationEndpoint } from "@orchd/client";
import { formatDuration } from "../../parts/format.ts";
import { now } from "../../parts/time.tsx";

/** Whether an endpoint is paused, fails or accepts messages. */
export const EndpointState = ({ endpoint }: { readonly endpoint: NotificationEndpoint }) => {
  const { enabled, failing_since: since } = endpoint;
  const group = !enabled ? "stopped" : since === null ? "running" : "failed";
  return (
    <span class={`state ${group}`}>
      <span class="dot" aria-hidden="true" />
      {!enabled ? (
        "paused"
      ) : since === null ? (
        "on"
      ) : (
        <time dateTime={since}>failing for {formatDuration(Math.max(0, now.value - Date.parse(since)) / 1000)}</time>
      )}
    </span>
  );
};
