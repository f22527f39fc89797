import { existsSync } from "node:fs";
import t from "tap";
import { landlockAbi } from "../../src/sandbox/landlock/landlock.ts";
import { ORDINARY_UID, attackedHost } from "./host.ts";

const { abi, problem } = landlockAbi();
const isRoot = process.getuid?.() === 0;
const skip = problem ?? (abi < 6 ? `Landlock ABI ${abi} knows no signals` : !isRoot && "needs root");

/** Shell programs that print DONE at their end, by the program that they need. */
const WORK: Readonly<Record<string, readonly string[]>> = {
  "/bin/bash": [
    "cat <(echo one) - <<< two | xargs -P 2 -I{} echo {} > out && [ $(wc -l < out) = 2 ] && echo DONE",
    'd=$(mktemp -d) && echo x > "$d/f" && mv "$d/f" here && rmdir "$d" && cat here && echo DONE',
    "for i in 1 2 3; do (sleep 0.1; echo $i > job$i) & done; wait; cat job1 job2 job3 | tr -d '\\n' | grep -q 123 && echo DONE",
    "printf '#!/bin/sh\\necho from a script\\n' > s && chmod +x s && ./s && timeout 5 ./s && echo DONE",
    "mkdir -p big && for i in 1 2 3 4; do head -c 1M /dev/zero > big/$i; done && tar cf big.tar big && du -m big.tar && rm -r big big.tar && echo DONE",
    "mkfifo pipe && (echo through > pipe &) && cat pipe && rm pipe && echo DONE",
    "df . > /dev/null; date; hostname; id; nproc; free -m; uname -a && echo DONE",
  ],
  "/usr/bin/git": [
    "git init -q r && cd r && git config user.email a@b && git config user.name a && echo 1 > f && git add . && git commit -qm one && git checkout -qb two && echo 2 >> f && git commit -qam two && git log --oneline | wc -l && git gc -q && git clone -q . ../copy && git -C ../copy diff HEAD~1 --stat && echo DONE",
  ],
  "/usr/bin/node": [
    'node -e \'const { execFileSync } = require("child_process"); const fs = require("fs"); fs.promises.writeFile("n", execFileSync("echo", ["x"])).then(() => new (require("worker_threads").Worker)("require(\\"worker_threads\\").parentPort.postMessage(1)", { eval: true }).on("message", () => console.log("DONE")))\'',
  ],
  "/usr/bin/npm": [
    "mkdir -p p && cd p && npm init -y > /dev/null && npm pack --silent && npm run env > /dev/null && echo DONE",
  ],
  "/usr/bin/python3": [
    'python3 -c \'import subprocess, sqlite3, tempfile, threading, zipfile, ssl, json, os; subprocess.run(["true"], check=True); sqlite3.connect("p.db").execute("create table t(x)"); tempfile.NamedTemporaryFile(); ssl.create_default_context(); t = threading.Thread(target=lambda: None); t.start(); t.join(); print("DONE")\'',
  ],
  "/usr/bin/gcc": [
    "printf '#include <stdio.h>\\n#include <pthread.h>\\nvoid *f(void *a) { return a; }\\nint main() { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); puts(\"DONE\"); }\\n' > c.c && gcc -O1 -pthread c.c -o c && ./c",
  ],
  "/usr/bin/make": ["printf 'all: a b\\n\\techo DONE\\na b:\\n\\ttouch $@\\n' > Makefile && make -j2"],
};

for (const { who, uid } of [
  { who: "root", uid: undefined },
  { who: "an ordinary user", uid: ORDINARY_UID },
]) {
  t.test(`the ordinary work of tools goes on under a daemon of ${who}`, { skip }, async (t) => {
    const host = await attackedHost(t, { isolation: "require", ...(uid !== undefined && { uid }) });
    const { alice } = host;
    for (const [program, commands] of Object.entries(WORK)) {
      if (!existsSync(program)) {
        t.comment(`${program} is not installed`);
        continue;
      }
      for (const [index, command] of commands.entries()) {
        const folder = `work-${program.split("/").pop()}-${index}`;
        const result = await alice.tool("run_command", { command: `mkdir ${folder} && cd ${folder} && ${command}` });
        t.match(result, { exit_code: 0, output: /DONE/ }, command.slice(0, 60));
      }
    }
    await host.killDaemon();
    const after = await alice.tool("run_command", { command: "cat ../engine.db || echo DONE" });
    t.match(after, { exit_code: 0, output: /Permission denied\s+DONE/ }, "under the next daemon too");
  });
}
