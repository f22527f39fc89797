import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import t, { type Test } from "tap";
import { freshFolder } from "../../helpers/folder.ts";
import { bareRepository, commandBench, fileServer, unless } from "./command-bench.ts";
import { PUBLIC } from "./proxy-bench.ts";

/** An authority of its own, and a server on the small internet with its certificate for `shop.example`. */
async function secureServer(t: Test, listener: RequestListener) {
  const folder = freshFolder(t);
  writeFileSync(join(folder, "name.ext"), "subjectAltName=DNS:shop.example");
  const openssl = (command: string) => execFileSync("openssl", command.split(" "), { cwd: folder, stdio: "pipe" });
  const key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
  openssl(`req -x509 ${key} -keyout ca.key -out ca.pem -days 2 -subj /CN=authority`);
  openssl(`req ${key} -keyout own.key -out own.csr -subj /CN=shop.example`);
  openssl("x509 -req -in own.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile name.ext -out own.pem");
  const file = (name: string) => readFileSync(join(folder, name), "utf8");
  const server = createServer({ key: file("own.key"), cert: file("own.pem") }, listener).listen(0, PUBLIC);
  await once(server, "listening");
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, authority: file("ca.pem") };
}

const { skip = unless("openssl").skip } = unless("curl");

t.test("programs verify a server's certificate through the proxy", skip === undefined ? {} : { skip }, async (t) => {
  const { run, workspaceDir, log } = await commandBench(t, { policy: ["shop.example", "wrong.example"] });
  const { port, authority } = await secureServer(t, (_request, response) => response.end("secret page"));
  writeFileSync(join(workspaceDir, "ca.pem"), authority);
  const curl = (host: string, options: string) => run(`curl -sS ${options} https://${host}:${port}/`);
  t.match(await curl("shop.example", "--cacert ca.pem"), { exit_code: 0, output: "secret page" });
  t.match(await curl("shop.example", ""), { exit_code: 60 }, "an unknown authority");
  t.match(await curl("wrong.example", "--cacert ca.pem"), { exit_code: 60 }, "a certificate of another name");
  const refused = await curl("other.example", "--cacert ca.pem");
  t.equal(refused.exit_code, 56);
  t.match(refused.network, [/other\.example:\d+ is refused/]);
  const script = `fetch("https://shop.example:${port}/").then((r) => r.text()).then(console.log, (e) => console.log(e.cause.code))`;
  t.match(await run(`NODE_EXTRA_CA_CERTS=ca.pem "${process.execPath}" -e '${script}'`), { output: "secret page\n" });
  t.match(await run(`"${process.execPath}" -e '${script}'`), { output: /UNABLE_TO_VERIFY|SELF_SIGNED/ });
  t.notMatch(log.join(""), "secret page");
});

t.test("git clones by https through the proxy", skip === undefined ? unless("git") : { skip }, async (t) => {
  const { run, workspaceDir } = await commandBench(t, { policy: ["shop.example"] });
  const { port, authority } = await secureServer(t, fileServer(bareRepository(t)));
  writeFileSync(join(workspaceDir, "ca.pem"), authority);
  const clone = (trust: string) => run(`${trust} git clone -q https://shop.example:${port}/ clone`);
  t.match((await clone("")).output, /certificate/);
  t.match(await clone('GIT_SSL_CAINFO="$PWD/ca.pem"'), { exit_code: 0 });
  t.match(await run("git -C clone log --format=%s"), { output: /first/ });
});
