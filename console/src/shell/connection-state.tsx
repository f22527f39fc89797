import { connection } from "../live/connection.ts";

const TEXT = { connecting: "Connecting", live: "Live", lost: "Reconnecting" } as const;

/** Whether the page shows what is true now. */
export const ConnectionState = () => (
  <p class={`connection ${connection.value}`} role="status">
    <span class="dot" aria-hidden="true" />
    {TEXT[connection.value]}
  </p>
);
