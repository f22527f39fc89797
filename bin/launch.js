// Plain JavaScript that any Node.js can read: finds a Node.js new enough for the program and runs it there.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const [major, minor] = process.versions.node.split(".").map(Number);
const installDir = fileURLToPath(new URL("..", import.meta.url));

/** Runs `dist/<program>.cjs` in this process, or in the Node.js that was installed beside the package. */
export async function launch(program) {
  const bundle = `${installDir}dist/${program}.cjs`;
  const node = `${installDir}node_modules/.bin/node`;
  if (!existsSync(bundle)) {
    refuse(`${program} is not built: run "npm run build" in ${installDir}`);
  } else if (major > 24 || (major === 24 && minor >= 12)) {
    // `import` would parse the whole program once more, to find the names that it exports.
    await createRequire(import.meta.url)(bundle).run({ installDir });
  } else if (existsSync(node)) {
    await runIn(node);
  } else {
    refuse(`${program} needs Node.js 24.12 or newer; this is ${process.versions.node}`);
  }
}

async function runIn(node) {
  // Loading this module takes a tenth of the time of a short command.
  const { spawn } = await import("node:child_process");
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
