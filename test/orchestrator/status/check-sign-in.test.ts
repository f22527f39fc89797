import t from "tap";
import { IdentityProvider } from "../../../src/orchestrator/identity/identity-provider.ts";
import { checkSignIn } from "../../../src/orchestrator/status/checks/check-sign-in.ts";
import { startForgingProvider } from "../../helpers/forging-provider.ts";

t.test("the doctor says what a sign-in with the identity provider lacks", async (t) => {
  const forger = await startForgingProvider(t);
  const settings = {
    issuer: forger.issuer,
    clientId: "console",
    clientSecret: "secret",
    clientAuth: "client_secret_basic",
    scopes: "openid groups",
    groupClaim: "groups",
    groups: { viewer: [], operator: [], admin: ["platform"] },
    consoleUrl: "https://agents.example.com/console/",
  } as const;
  const check = async (description: object, more: object = {}) => {
    forger.description = { ...description };
    return checkSignIn({ identity: new IdentityProvider({ ...settings, ...more }) });
  };
  t.same(await checkSignIn({ identity: null }), [], "nothing without a provider");
  t.match(await check({}), [
    {
      name: "sign-in",
      status: "ok",
      message: /has no sign-out of its own; it must know https:.*\/console\/sign-in\/callback$/,
    },
  ]);
  t.match(await check({ end_session_endpoint: `${forger.issuer}/end` }), [
    { status: "ok", message: /signs people out/ },
  ]);
  t.match(await check({ scopes_supported: ["openid"] }), [{ status: "warning", message: /the scope groups$/ }]);
  t.match(await check({ code_challenge_methods_supported: ["plain"] }), [{ status: "problem", message: /PKCE/ }]);
  t.match(await check({}, { consoleUrl: "http://agents.example.com/console/" }), [
    { status: "warning", message: /without TLS$/, fix: /ORCH_PUBLIC_URL/ },
  ]);
  t.match(await check({ issuer: "https://evil.example" }), [
    {
      status: "problem",
      message: /calls itself https:\/\/evil.example|issuer/,
      fix: /^curl .*\/\.well-known\/openid-configuration/,
    },
  ]);
  t.match(await check({}, { issuer: "http://127.0.0.1:1" }), [{ status: "problem", message: /ECONNREFUSED/ }]);
});
