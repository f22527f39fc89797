import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Test } from "tap";
import { ask } from "./api.ts";
import { freePort } from "./daemon.ts";
import { freshFolder } from "./folder.ts";
import { until } from "./until.ts";

const program = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx", "/opt/homebrew/bin/nginx"].find((path) =>
  existsSync(path),
);

/** As an option of a test: it is skipped, and says why, on a machine that has no nginx. */
export const withNginx = { skip: program === undefined ? "nginx is not installed" : false };

/**
 * A real nginx with its default settings in front of something; `server` is what stands in the `server` block beside
 * `listen`. Gives its address. Everything else that is set says only where its own files lie.
 */
export async function startNginx(t: Test, server: string): Promise<string> {
  if (program === undefined) throw new Error("nginx is not installed");
  const folder = freshFolder(t, "orchd-nginx");
  const port = await freePort();
  writeFileSync(join(folder, "nginx.conf"), configuration(port, server));
  const log = join(folder, "error.log");
  const child = spawn(program, ["-p", folder, "-c", "nginx.conf", "-e", log], { env: {}, stdio: "ignore" });
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill();
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  await until("nginx listens", async () => {
    if (child.exitCode !== null) throw new Error(`nginx exited with ${child.exitCode}: ${readFileSync(log, "utf8")}`);
    return ask(url, "/health").catch(() => null);
  });
  return url;
}

const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

const configuration = (port: number, server: string): string => `
daemon off;
pid nginx.pid;
${process.getuid?.() === 0 ? "user root;" : ""}
events {}
http {
  access_log off;
  ${TEMPORARY.map((name) => `${name}_temp_path ${name};`).join(" ")}
  server {
    listen 127.0.0.1:${port};
    ${server}
  }
}
`;
