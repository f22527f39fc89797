import type { RequestHandler } from "express";
import { forkRequest, rewindRequest } from "../../contract/engine/branch.ts";
import { validateBody } from "../../shared/http/validate-body.ts";
import type { TaskBranches } from "../turns/task-branches.ts";

/** The routes of forks and rewinds. */
export const branchRoutes = ({ branches }: { readonly branches: Pick<TaskBranches, "fork" | "rewind"> }) =>
  ({
    forkTask(request, response) {
      const body = validateBody(forkRequest, request.body ?? {}, response);
      const { after_message: after, task_id: newTaskId = null } = body;
      const afterMessage = after === undefined ? null : numberOf(after);
      response.json(branches.fork(String(request.params["task_id"]), { afterMessage, newTaskId }));
    },
    async rewindTask(request, response) {
      const body = validateBody(rewindRequest, request.body, response);
      const { to_message: to, keep = true, files = "keep", dry_run: dryRun = false, force = false } = body;
      const options = { toMessage: numberOf(to), keep, files, dryRun, force };
      response.json(await branches.rewind(String(request.params["task_id"]), options));
    },
  }) satisfies Record<string, RequestHandler>;

/** The number of a message id, which was validated. */
const numberOf = (messageId: string): number => Number(messageId.slice("msg_".length));
