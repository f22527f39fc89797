import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { type ServerOptions, createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Test } from "tap";
import { caCertificate, hostCertificate, interceptCa } from "../../src/contract/broker/intercept-ca.ts";

/** A host that tools call with a secret, at an address that containers reach. */
export interface SecretHost {
  /** `address:port`, as the hosts of a secret list it. */
  readonly place: string;
  /** The `Authorization` of each request to `/api`. */
  readonly seen: string[];
}

/** Who signs the certificates of hosts of a test, and the file that makes a broker trust them. */
export function testAuthority(folder: string) {
  const ca = interceptCa(randomBytes(32), { engine: "hosts of a test", incarnation: "" });
  const certificates = join(folder, "hosts.pem");
  writeFileSync(certificates, caCertificate(ca, Date.now()));
  return { certificates, identityOf: (host: string): ServerOptions => hostCertificate(ca, host, Date.now()) };
}

/** `/api` for whoever has the value as bearer token, which it echoes, `/git/private.git` for whoever has it as password. */
export async function startSecretHost(
  t: Test,
  {
    host,
    value,
    folder,
    identity,
  }: { readonly host: string; readonly value: string; readonly folder: string; readonly identity: ServerOptions },
): Promise<SecretHost> {
  const repositories = makeRepository(folder);
  const seen: string[] = [];
  const bearer = `Bearer ${value}`;
  const basic = `Basic ${Buffer.from(`git:${value}`).toString("base64")}`;
  const server = createServer(identity, async (request, response) => {
    const { authorization = "nothing" } = request.headers;
    const body = await buffer(request).catch(() => Buffer.of());
    if (request.url?.startsWith("/git/") !== true) {
      seen.push(authorization);
      const isKnown = authorization === bearer;
      response.writeHead(isKnown ? 200 : 401).end(`${isKnown ? "welcome" : "denied"}, you sent ${authorization}`);
    } else if (authorization !== basic) response.writeHead(401, { "www-authenticate": "Basic" }).end();
    else {
      const { type, content } = await gitAnswer(request, repositories, body);
      response.writeHead(200, { "content-type": type }).end(content);
    }
  }).listen(0, host);
  await once(server, "listening");
  t.teardown(() => (server.closeAllConnections(), server.close()));
  return { place: `${host}:${(server.address() as AddressInfo).port}`, seen };
}

/** A folder with `private.git`, which has a README. */
function makeRepository(folder: string): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], { stdio: "ignore" });
  const [work, repositories] = [join(folder, "work"), join(folder, "git")];
  git("init", "-b", "main", work);
  writeFileSync(join(work, "README"), "of the repository");
  git("-C", work, "add", "README");
  git("-C", work, "commit", "-m", "one");
  git("clone", "--bare", work, join(repositories, "private.git"));
  return repositories;
}

async function gitAnswer({ url = "", method, headers }: IncomingMessage, repositories: string, body: Buffer) {
  const [path = "", query = ""] = url.split("?");
  const encoding = headers["content-encoding"];
  const child = spawn("git", ["http-backend"], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: repositories,
      GIT_HTTP_EXPORT_ALL: "1",
      REQUEST_METHOD: method,
      PATH_INFO: path.slice("/git".length),
      QUERY_STRING: query,
      CONTENT_TYPE: headers["content-type"] ?? "",
      ...(encoding !== undefined && { HTTP_CONTENT_ENCODING: encoding }),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  // It does not read the body of every request.
  child.stdin.on("error", () => undefined);
  child.stdin.end(body);
  const all = await buffer(child.stdout);
  const end = all.indexOf("\r\n\r\n");
  const [, type = "text/plain"] = /^Content-Type: (.*)$/m.exec(all.subarray(0, end).toString()) ?? [];
  return { type: type.trim(), content: all.subarray(end + 4) };
}
