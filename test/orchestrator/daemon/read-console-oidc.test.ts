import t from "tap";
import { readConsoleOidc } from "../../../src/orchestrator/daemon/read-console-oidc.ts";
import { EnvironmentReader, InvalidSettings } from "../../../src/shared/environment.ts";

const P = "ORCH_CONSOLE_OIDC_";
const PUBLIC = "https://agents.example.com/orchd";
const WHOLE = {
  [`${P}ISSUER`]: "https://login.example.com/realms/staff",
  [`${P}CLIENT_ID`]: "console",
  [`${P}CLIENT_SECRET`]: "the-secret",
  [`${P}ADMIN_GROUPS`]: "platform",
};

const read = (env: Readonly<Record<string, string | undefined>>, publicUrl: string | null = PUBLIC) => {
  const reader = new EnvironmentReader(env);
  const settings = readConsoleOidc(reader, publicUrl);
  reader.done();
  return settings;
};
const problemsOf = (
  env: Readonly<Record<string, string | undefined>>,
  publicUrl?: string | null,
): readonly string[] => {
  try {
    read(env, publicUrl);
    return [];
  } catch (error) {
    return error instanceof InvalidSettings ? error.problems : [String(error)];
  }
};

t.test("without an issuer nobody signs in so, and other settings of it are a mistake", async (t) => {
  t.equal(read({}), null);
  t.equal(read({ [`${P}SCOPES`]: "openid groups" }), null);
  const { [`${P}ISSUER`]: _, ...rest } = WHOLE;
  t.match(problemsOf(rest), [/^ORCH_CONSOLE_OIDC_ISSUER: required/]);
});

t.test("the callback is below the public URL, and groups are lists", async (t) => {
  const groups = { [`${P}VIEWER_GROUPS`]: " a ,b,,cn=x%2Cdc=y ", [`${P}OPERATOR_GROUPS`]: "/ops/on call" };
  t.match(read({ ...WHOLE, ...groups }), {
    issuer: WHOLE[`${P}ISSUER`],
    consoleUrl: "https://agents.example.com/orchd/console/",
    scopes: "openid profile email",
    groupClaim: "groups",
    clientAuth: "client_secret_basic",
    groups: { viewer: ["a", "b", "cn=x,dc=y"], operator: ["/ops/on call"], admin: ["platform"] },
  });
});

t.test("each problem names its setting, and none shows the secret", async (t) => {
  const cases: readonly (readonly [env: object, problem: RegExp, publicUrl?: null])[] = [
    [{ [`${P}ISSUER`]: "http://login.example.com" }, /ISSUER: expected https:.*http:\/\/ is for this machine/],
    [{ [`${P}ISSUER`]: "http://10.0.0.1" }, /ISSUER: expected https/],
    [{ [`${P}ISSUER`]: "http://127.0.0.1.evil.example" }, /ISSUER: expected https/],
    [{ [`${P}ISSUER`]: "login.example.com" }, /ISSUER: expected https/],
    [{ [`${P}ISSUER`]: "https://user:word@login.example.com" }, /ISSUER: expected an address without user/],
    [{ [`${P}ISSUER`]: "https://login.example.com/?a=b" }, /ISSUER: .*without query/],
    [{ [`${P}CLIENT_ID`]: "" }, /CLIENT_ID: required/],
    [{ [`${P}CLIENT_SECRET`]: "" }, /CLIENT_SECRET: required/],
    [{ [`${P}CLIENT_AUTH`]: "none" }, /CLIENT_AUTH: expected one of/],
    [{ [`${P}SCOPES`]: "profile" }, /SCOPES: expected scopes with "openid"/],
    [{ [`${P}ADMIN_GROUPS`]: " , " }, /ADMIN_GROUPS: expected groups/],
    [{ [`${P}ADMIN_GROUPS`]: "50%" }, /ADMIN_GROUPS: .*percent-encoded/],
    [{}, /^ORCH_PUBLIC_URL: required/, null],
  ];
  for (const [env, problem, publicUrl] of cases) {
    const problems = problemsOf({ ...WHOLE, ...env }, publicUrl);
    t.ok(
      problems.some((text) => problem.test(text)),
      `${JSON.stringify(env)}: ${problems.join("; ")}`,
    );
    t.notMatch(problems.join(), /the-secret/);
  }
  for (const host of ["127.0.0.1:8080", "localhost", "[::1]:9000"])
    t.same(problemsOf({ ...WHOLE, [`${P}ISSUER`]: `http://${host}/realm` }), [], host);
});
