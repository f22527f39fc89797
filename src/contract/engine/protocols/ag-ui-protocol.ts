import { type Protocol, route } from "./protocol-row.ts";

export const AG_UI = {
  title: "AG-UI",
  version: "1.0",
  errorBody: ({ code, message, details }) => ({
    type: "RUN_ERROR",
    code,
    message,
    ...(details && { metadata: { details } }),
  }),
  routes: {
    agUiRun: route("POST /ag-ui", "Run the agent, and stream its events", "turns"),
  },
} as const satisfies Protocol;
