import express from "express";
import { decodeLaunch, encodeLaunch } from "../../contract/engine/launch.ts";
import { NOT_ISOLATED } from "../../contract/engine/launch-file.ts";
import { createLogger } from "../../shared/logger.ts";

/**
 * Runs the parts of a boot that need only built-in modules which a snapshot can hold. The snapshot keeps the code compiled
 * here, and the caches of the packages.
 */
export function warmUp(): void {
  decodeLaunch(
    encodeLaunch({
      engine_id: "",
      incarnation: "",
      product: "",
      user_id: "",
      host: "",
      port: 0,
      listen_fd: 0,
      data_dir: "",
      keys: [{ hash: "0".repeat(64), expires_at: null }],
      control_token: "",
      settings: {},
      extra_ca_certs: null,
      tool_network: "open",
      tool_listen: [],
      limits: { max_processes: 0, memory_mb: 0, disk_mb: 0 },
      isolation: NOT_ISOLATED,
    }),
  );
  createLogger("engine", "info").debug("");
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", "simple");
  app.get("/path/:name", (_request, response) => response.end());
  app.use((_request, response) => response.end());
}
