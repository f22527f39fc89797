import type { HostHealth } from "../../src/client/health-client.ts";
import type { HostCheck } from "../../src/contract/orchestrator/host.ts";
import { failed, passed } from "../../src/contract/orchestrator/host-check.ts";
import { CliFailure } from "../exit-codes.ts";

/** Whether the host has a leader that this daemon reaches. `answer`: of a call that a follower forwards to the leader. */
export function checkLeader({ role, leader }: Pick<HostHealth, "role" | "leader">, answer: unknown): HostCheck {
  if (role === "leader") return passed("leader", "this daemon leads");
  if (leader === null) {
    return failed(
      "leader",
      "no daemon is known to lead this host",
      "journalctl -u orchd -n 50 at each replica; they need one DATABASE_URL and one ORCH_HOST_ID",
    );
  }
  if (!isUnanswered(answer))
    return passed("leader", `this daemon follows ${leader}, which leads and answers its calls`);
  return URL.canParse(leader)
    ? failed(
        "leader",
        `${leader} leads, but this daemon does not reach it: ${answer.message}`,
        `curl ${leader}/health on this machine; ORCH_REPLICA_URL of that daemon sets the address`,
      )
    : failed(
        "leader",
        `${leader} leads, but its address is not known here`,
        "set ORCH_REPLICA_URL for each replica, or call that daemon: --url",
      );
}

const isUnanswered = (answer: unknown): answer is CliFailure =>
  answer instanceof CliFailure && (answer.exit === "unavailable" || answer.exit === "timeout");
