/** The console in development: Vite serves its sources, and the daemon at `ORCH_URL` answers its calls. */
import { createServer } from "vite";
import { consoleOptions } from "./console-options.ts";

const daemon = process.env["ORCH_URL"] ?? "http://127.0.0.1:7700";
const CALLS = ["/admin", "/products", "/engines", "/events", "/catalog", "/usage", "/e", "/console/session"];

const server = await createServer({
  ...consoleOptions,
  base: "/console/",
  server: {
    host: "127.0.0.1",
    // The daemon checks Host and Origin.
    proxy: Object.fromEntries(
      CALLS.map((path) => [
        `^${path}(/|\\?|$)`,
        { target: daemon, changeOrigin: true, headers: { origin: new URL(daemon).origin } },
      ]),
    ),
  },
});
await server.listen();
server.printUrls();
