import { spawnSync } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import t from "tap";
import { nativeProblem } from "../../../src/sandbox/system/system-calls.ts";

const skip = nativeProblem() ?? false;
const program = new URL("../../../src/orchestrator/daemon/passed-descriptors.ts", import.meta.url).href;

/** What a process finds that inherits so many descriptors. */
function found(env: Readonly<Record<string, string>>, count = 3) {
  const files = Array.from({ length: count }, () => openSync("/dev/null", "r"));
  const script = `
    const { passedDescriptors } = await import(${JSON.stringify(program)});
    const { api, kept } = passedDescriptors(process.env, Number(process.env.AS ?? process.pid));
    process.stdout.write(JSON.stringify({ api, kept: [...kept] }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    env,
    stdio: ["ignore", "pipe", "pipe", ...files],
    encoding: "utf8",
  });
  files.forEach((file) => closeSync(file));
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

t.test("descriptors are found by their names, the daemon's own port apart", { skip }, async (t) => {
  const env = { LISTEN_PID: "7", AS: "7", LISTEN_FDS: "3", LISTEN_FDNAMES: "20001:api:20007" };
  t.same(found(env), {
    api: 4,
    kept: [
      ["20001", 3],
      ["20007", 5],
    ],
  });
});

t.test("the first of several descriptors with one name is taken", { skip }, async (t) => {
  const env = { LISTEN_PID: "7", AS: "7", LISTEN_FDS: "3", LISTEN_FDNAMES: "20001:20001:api" };
  t.same(found(env), { api: 5, kept: [["20001", 3]] });
});

t.test("descriptors for another process, or none, are left alone", { skip }, async (t) => {
  const none = { api: null, kept: [] };
  t.same(found({ LISTEN_PID: "8", AS: "7", LISTEN_FDS: "3", LISTEN_FDNAMES: "a:b:c" }), none);
  t.same(found({ LISTEN_FDS: "3" }), none);
  t.same(found({ AS: "7", LISTEN_PID: "7" }), none);
  t.same(found({ AS: "7", LISTEN_PID: "7", LISTEN_FDS: "some" }), none);
});
