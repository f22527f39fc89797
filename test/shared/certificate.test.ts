import { X509Certificate, randomBytes } from "node:crypto";
import { once } from "node:events";
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AddressInfo, isIP } from "node:net";
import { connect, createServer } from "node:tls";
import t from "tap";
import { caCertificate, hostCertificate, interceptCa } from "../../src/contract/broker/intercept-ca.ts";

const sealingKey = randomBytes(32);
const start = { engine: "eng_1", incarnation: "i1" };
const ca = interceptCa(sealingKey, start);
const trusted = caCertificate(ca, Date.now());

t.test("an authority is derived, for one start of one engine", async (t) => {
  const pem = (of: typeof ca) => of.privateKey.export({ type: "pkcs8", format: "pem" });
  t.equal(pem(interceptCa(sealingKey, start)), pem(ca));
  t.not(pem(interceptCa(sealingKey, { ...start, incarnation: "i2" })), pem(ca));
  t.not(pem(interceptCa(sealingKey, { ...start, engine: "eng_2" })), pem(ca));
  t.not(pem(interceptCa(randomBytes(32), start)), pem(ca));
  const certificate = new X509Certificate(trusted);
  t.ok(certificate.ca);
  t.ok(certificate.verify(certificate.publicKey));
});

t.test("a host's certificate is valid for this host, names and addresses alike", async (t) => {
  for (const [host, other] of [
    ["api.example.com", "www.example.com"],
    ["127.0.0.1", "127.0.0.2"],
    ["fd00::1:2", "fd00::1:3"],
    [`${"a".repeat(60)}.${"b".repeat(60)}.example.com`, "example.com"],
  ] as const) {
    const certificate = new X509Certificate(hostCertificate(ca, host, Date.now()).cert);
    const names = (asked: string) => (isIP(asked) === 0 ? certificate.checkHost(asked) : certificate.checkIP(asked));
    t.ok(names(host), host);
    t.notOk(names(other), other);
    t.ok(certificate.checkIssued(new X509Certificate(trusted)));
    t.ok(certificate.verify(ca.publicKey));
    t.notOk(certificate.ca);
    t.ok(certificate.serialNumber.length >= 30);
  }
});

t.test("a client that trusts the authority connects, and another does not", async (t) => {
  const server = createServer(hostCertificate(ca, "localhost", Date.now()), (socket) => socket.end("hello"));
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: "127.0.0.1", servername: "localhost", ca: trusted });
  await once(client, "secureConnect");
  t.ok(client.authorized);
  client.destroy();
  const stranger = caCertificate(interceptCa(randomBytes(32), start), Date.now());
  const refused = connect({ port, host: "127.0.0.1", servername: "localhost", ca: stranger });
  const [error] = await once(refused, "error").catch((reason: unknown) => [reason]);
  t.match(error, { message: /certificate|signature/i });
});

t.test(
  "OpenSSL verifies the chain strictly",
  { skip: !existsSync("/usr/bin/openssl") && "needs openssl" },
  async (t) => {
    const folder = t.testdir();
    const [authority, host] = [join(folder, "ca.pem"), join(folder, "host.pem")];
    writeFileSync(authority, trusted);
    writeFileSync(host, hostCertificate(ca, "api.example.com", Date.now()).cert);
    const options = ["verify", "-x509_strict", "-purpose", "sslserver", "-verify_hostname", "api.example.com"];
    t.match(execFileSync("/usr/bin/openssl", [...options, "-CAfile", authority, host]).toString(), /OK/);
  },
);
