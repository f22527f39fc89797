import type { EngineConfig } from "../config.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import type { Logger } from "../../shared/logger.ts";
import type { WorkspaceCheckpoints } from "../checkpoints/workspace-checkpoints.ts";
import { TaskForgetting } from "../memory/forget-task.ts";
import { ArtifactTable } from "../store/artifact-table.ts";
import { AttachmentNames } from "../store/attachment-names.ts";
import { BranchTable } from "../store/branches.ts";
import { EventTable } from "../store/events.ts";
import { HitlTable } from "../store/hitl-requests.ts";
import { InboxTable } from "../store/inbox-table.ts";
import { MessageIndex } from "../store/message-index.ts";
import { MessageTable } from "../store/messages.ts";
import type { Store } from "../store/open-store.ts";
import { TaskRemoval } from "../store/task-removal.ts";
import { TaskTable } from "../store/tasks.ts";
import { ToolVerdictTable } from "../store/tool-verdict-table.ts";
import { TurnTable } from "../store/turns.ts";
import { MessageSearch } from "../tasks/message-search.ts";
import { TaskChanger } from "../tasks/task-changer.ts";
import type { TaskChanges } from "../tasks/task-changes.ts";
import { TaskTitles } from "../tasks/task-titles.ts";
import { TaskList } from "../tasks/task-list.ts";
import { TaskMessageList } from "../tasks/task-messages.ts";
import { ATTACHMENTS_FOLDER } from "../tools/attachments/attachment-files.ts";
import { removeAttachments } from "../tools/attachments/remove-attachments.ts";
import type { EventJournal } from "../turns/event-journal.ts";
import type { Inbox } from "../turns/inbox.ts";
import type { TaskSlots } from "../turns/task-slots.ts";
import type { TurnRunner } from "../turns/turn-runner.ts";

export interface TaskOwnerParts {
  readonly store: Store;
  readonly slots: TaskSlots;
  readonly inbox: Pick<Inbox, "clear">;
  readonly runner: Pick<TurnRunner, "hold">;
  readonly journal: EventJournal;
  readonly events: EventTable;
  readonly search: MessageSearch;
  readonly taskChanges: TaskChanges;
  readonly checkpoints: WorkspaceCheckpoints;
  readonly workspaceDir: string;
  readonly names: ConstructorParameters<typeof TaskChanger>[0]["names"];
  readonly logger: Logger;
}

export const openMessageSearch = ({ store, logger }: Pick<TaskOwnerParts, "store" | "logger">): MessageSearch =>
  new MessageSearch({ store, index: new MessageIndex(store), branches: new BranchTable(store), logger });

/** Null: titles are first words, or there are none. */
export function openTitles(
  { titles, lightModel }: Pick<EngineConfig, "titles" | "lightModel">,
  parts: Pick<TaskOwnerParts, "store" | "search" | "taskChanges" | "logger"> & {
    readonly provider: ModelProvider;
    readonly isAllowed: () => boolean;
  },
): TaskTitles | null {
  if (titles !== "model") return null;
  const { store, taskChanges: changes } = parts;
  const [tasks, messages] = [new TaskTable(store), new MessageTable(store)];
  return new TaskTitles({ ...parts, tasks, messages, changes, model: lightModel });
}

/** The records of an engine's tasks, and their messages. */
export function openTasks(parts: TaskOwnerParts) {
  const { store, slots, inbox, runner, journal, events, search, taskChanges, checkpoints, workspaceDir, logger } =
    parts;
  slots.subscribe((taskId) => taskChanges.changed(taskId));
  const [tasks, hitl, attached] = [new TaskTable(store), new HitlTable(store), new AttachmentNames(store)];
  return {
    taskChanges,
    taskList: new TaskList({ tasks, hitl, slots, inbox: new InboxTable(store), search }),
    taskMessages: new TaskMessageList({
      branches: new BranchTable(store),
      messages: new MessageTable(store),
      turns: new TurnTable(store),
      hitl,
      verdicts: new ToolVerdictTable(store),
      slots,
    }),
    taskChanger: new TaskChanger({
      store,
      logger,
      journal,
      tasks,
      removal: new TaskRemoval(store, { events, folder: ATTACHMENTS_FOLDER }),
      forgetting: new TaskForgetting(store),
      kept: { changes: checkpoints.changes, recorder: checkpoints.recorder, artifacts: new ArtifactTable(store) },
      search,
      runner,
      inbox,
      changes: taskChanges,
      names: parts.names,
      files: {
        async removeUnused(files) {
          if (files.size === 0) return 0;
          const used = await attached.in(ATTACHMENTS_FOLDER);
          const unused = new Map([...files].filter(([name]) => !used.has(name)));
          return removeAttachments(unused, { workspaceDir, logger });
        },
      },
    }),
  };
}
