import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair } from "jose";
import t from "tap";
import { PublishedKeys } from "../../../src/orchestrator/status/published-keys.ts";

t.test(
  "attack: forged tokens in the name of a provider that is away, or with new key ids, call it rarely",
  async (t) => {
    let calls = 0;
    let answer: object | null = null;
    const server = createServer((_request, response) => {
      calls++;
      response.writeHead(answer === null ? 500 : 200).end(JSON.stringify(answer));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.teardown(() => server.close());
    const { port } = server.address() as AddressInfo;
    let now = 1_000_000;
    const keys = new PublishedKeys(() => now);
    const issuer: Parameters<PublishedKeys["of"]>[0] = {
      issuer: "https://idp.example",
      audience: "app",
      user_claim: "sub",
      scope: "turns",
      algorithms: ["ES256"],
      clock_skew_s: 0,
      productId: "prd_1",
      jwks_url: `http://127.0.0.1:${port}/jwks`,
      privateHosts: [`127.0.0.1:${port}`],
    };
    const find = async (kid: string) => {
      const key = await keys.of(issuer);
      try {
        await key({ alg: "ES256", kid }, { payload: "", signature: "" });
        return true;
      } catch {
        return false;
      }
    };
    for (let at = 0; at < 50; at++) t.equal(await find("k1"), false);
    t.equal(calls, 1, "the provider is away");
    const { publicKey } = await generateKeyPair("ES256");
    answer = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] };
    now += 5001;
    t.equal(await find("k1"), true, "it is back");
    for (let at = 0; at < 50; at++) t.equal(await find(`unknown-${at}`), false);
    t.equal(calls, 2);
    now += 60_001;
    t.equal(await find("unknown"), false);
    t.equal(calls, 3, "an unknown key id is looked for once a minute");
    answer = null;
    now += 10 * 60_001;
    t.equal(await find("k1"), true, "known keys go on while the provider is away");
  },
);
