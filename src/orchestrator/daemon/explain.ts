import { InvalidSettings } from "../../shared/environment.ts";
import { InvalidArguments } from "./arguments.ts";
import { isDatabaseAway } from "../store/database.ts";
import { HostTakenOver } from "../store/host-lock.ts";

/** Why the daemon ends, for the person at the terminal: the setting, what it was, what was expected. */
export function explain(error: unknown): string {
  if (error instanceof InvalidSettings) {
    return ["orchd cannot start:", ...error.problems.map((problem) => `  ${problem}`)].join("\n");
  }
  if (error instanceof InvalidArguments) return `orchd: ${error.message}`;
  if (error instanceof HostTakenOver) return `orchd stops: ${error.message}`;
  if (!(error instanceof Error)) return `orchd cannot start: ${String(error)}`;
  const code = "code" in error ? error.code : undefined;
  const syscall = "syscall" in error ? error.syscall : undefined;
  if (syscall === "listen" && code === "EADDRINUSE") {
    return "orchd cannot start: ORCH_PORT is in use by another program (is orchd running already?); set another ORCH_PORT";
  }
  if (syscall === "listen")
    return `orchd cannot start: ORCH_HOST and ORCH_PORT cannot be listened on (${error.message})`;
  if (isDatabaseAway(error)) {
    return `orchd cannot start: the database at DATABASE_URL cannot be reached (${error.message || String(code)})`;
  }
  return `orchd cannot start: ${error.message || error.name}`;
}
