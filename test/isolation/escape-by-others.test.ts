import t from "tap";
import { ATTEMPTS } from "./attempts.ts";
import { ORDINARY_UID, attackedHost } from "./host.ts";
import { noAttemptEscapes, withAttempts } from "./no-escape.ts";

t.test("under a daemon of root no attempt of a tool server leaves the sandbox", withAttempts, (t) =>
  noAttemptEscapes(t, { by: ["server"] }),
);

t.test("under a daemon of an ordinary user no attempt leaves the sandbox", withAttempts, (t) =>
  noAttemptEscapes(t, { uid: ORDINARY_UID, by: ["command", "server"] }),
);

t.test("without isolation the same attempts succeed", withAttempts, async (t) => {
  const host = await attackedHost(t, { isolation: "off" });
  const results = await host.attempt("command");
  for (const { name, hostRefuses } of ATTEMPTS) if (!hostRefuses) t.match(results[name], /ESCAPED/, name);
});
