// The floor of a restart: an engine's own program, started again as soon as it has ended, each life with its own name.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { openSync, readFileSync, writeFileSync } from "node:fs";

const { PATH, NODE_COMPILE_CACHE, LAUNCH_FILE, ENGINE_ENTRY, ENGINE_OPTIONS, ENGINE_LOG } = process.env;
const env = { PATH, NODE_COMPILE_CACHE, ORCH_LAUNCH_FILE: LAUNCH_FILE };
const launch = JSON.parse(readFileSync(LAUNCH_FILE, "utf8"));
const log = openSync(ENGINE_LOG, "a");

function run() {
  writeFileSync(LAUNCH_FILE, JSON.stringify({ ...launch, incarnation: randomUUID() }));
  const options = { cwd: launch.data_dir, env, detached: true, stdio: ["ignore", log, log] };
  spawn(process.execPath, [...ENGINE_OPTIONS.split(" "), ENGINE_ENTRY], options).once("exit", run);
}

run();
