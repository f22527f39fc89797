import { once } from "node:events";
import { runConfined } from "@orchd/sandbox";

const port = Number(process.env["PORT"] ?? 3000);
const folder = process.argv[2] ?? import.meta.dirname;
/** It reads one folder, listens on one port, and reaches nothing else. */
const server = await runConfined(
  ["python3", "-u", "-m", "http.server", "--bind", "127.0.0.1", "-d", folder, `${port}`],
  {
    read: [folder],
    listen: [port],
    onOutput: (chunk) => process.stdout.write(chunk),
  },
);
await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM"), server.ended]);
await server.end();
