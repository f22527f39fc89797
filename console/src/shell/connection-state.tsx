import { connection } from "../live/connection.ts";

const TEXT = { connecting: "Connecting", live: "Live", lost: "Reconnecting" } as const;

/** The state of the event stream that keeps the page up to date. */
export const ConnectionState = () => (
  <p class={`connection ${connection.value}`} role="status">
    <span class="dot" aria-hidden="true" />
    {TEXT[connection.value]}
  </p>
);
