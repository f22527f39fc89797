import type { IncomingMessage } from "node:http";
import t from "tap";
import { OriginCheck } from "../../../src/orchestrator/http/origin-check.ts";
import { sessionCookie, signInCookie } from "../../../src/orchestrator/http/console-cookie.ts";
import { SealedBox } from "../../../src/orchestrator/store/sealed-box.ts";

const box = new SealedBox("secret");
const request = (headers: Readonly<Record<string, string>>, method = "POST") =>
  ({ method, headers, socket: { remoteAddress: "127.0.0.1" } }) as unknown as IncomingMessage;

t.test("behind a public URL its page is the daemon's own, whatever Host the proxy passes on", async (t) => {
  const site = new OriginCheck({ host: "127.0.0.1", publicUrl: "https://agents.example.com/orchd" });
  const origin = "https://agents.example.com";
  t.equal(site.pageProblem(request({ host: "127.0.0.1:7700", origin })), null);
  t.equal(site.pageProblem(request({ host: "agents.example.com", origin, "sec-fetch-site": "same-origin" })), null);
  for (const headers of [
    { host: "agents.example.com", origin: "https://evil.example" },
    { host: "agents.example.com", origin: "https://agents.example.com.evil.example" },
    { host: "agents.example.com", origin, "sec-fetch-site": "cross-site" },
    { host: "evil.example", origin },
    { host: "agents.example.com" },
  ])
    t.type(site.pageProblem(request(headers)), "string", JSON.stringify(headers));
  t.equal(site.pageProblem(request({ host: "localhost:7700" }, "GET")), null, "browsers send no Origin when they read");
});

t.test("the cookie is for TLS alone where the public URL is, and each deployment has its own", async (t) => {
  const [plain, secure] = [null, "https://agents.example.com"].map((publicUrl) =>
    sessionCookie({ box }, new OriginCheck({ host: "127.0.0.1", publicUrl })),
  );
  t.match(plain?.of("x"), /^orchd_session_[\w-]{8}=x; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/);
  t.match(secure?.of("x"), /^__Host-orchd_session_[\w-]{8}=x; .*; Secure$/);
  const other = sessionCookie({ box: new SealedBox("other") }, { isSecure: false });
  const cookie = [other.of("theirs"), plain?.of("ours")].map((line) => line?.split(";")[0]).join("; ");
  t.equal(plain?.read({ cookie }), "ours");
  t.equal(other.read({ cookie }), "theirs");
  t.equal(secure?.read({ cookie }), null);
  const pending = signInCookie({ box }, { isSecure: true }).of("x");
  t.match(pending, /^__Host-orchd_sign_in_[\w-]{8}=x; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
});
