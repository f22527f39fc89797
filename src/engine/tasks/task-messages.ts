import type { TaskMessages } from "../../contract/engine/task.ts";
import type { TaskMessage } from "../../contract/engine/task-message.ts";
import type { BranchTable, Prefix } from "../store/branches.ts";
import type { HitlTable } from "../store/hitl-requests.ts";
import type { ConversationRow, MessageTable } from "../store/messages.ts";
import type { ToolVerdictTable } from "../store/tool-verdict-table.ts";
import type { TurnTable } from "../store/turns.ts";
import type { TaskSlots } from "../turns/task-slots.ts";
import { messageId } from "./public-id.ts";
import { type ShownTurn, showMessage } from "./show-message.ts";

/** Characters of stored content after which a page is full: a tool may have returned megabytes. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

/** Where a page begins: after a message, or before one and going back. Without either, it ends with the last message. */
export type MessagePlace = { readonly kind: "after" | "before"; readonly id: number } | { readonly kind: "end" };

/** The rows that are shown as one message: one of the user, or answers of a turn with the results of their calls. */
type Group = [ConversationRow, ...ConversationRow[]];

interface PageOptions {
  readonly limit: number;
  readonly branchId: number | null;
}

interface Parts {
  readonly branches: BranchTable;
  readonly messages: MessageTable;
  readonly turns: TurnTable;
  readonly hitl: HitlTable;
  readonly verdicts: ToolVerdictTable;
  readonly slots: Pick<TaskSlots, "get">;
}

/** The conversations of tasks, as clients read them. */
export class TaskMessageList {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `branchId`: another branch of the task than the one that its conversation is on. */
  page(taskId: string, place: MessagePlace, { limit, branchId }: PageOptions): TaskMessages {
    const { branches } = this.#parts;
    const conversation = branchId === null ? branches.ofTask(taskId) : branches.ofBranch(branchId);
    const { groups, hasMore } = this.#groups(conversation, place, limit);
    const [hasOlder, hasNewer] = place.kind === "after" ? [true, hasMore] : [hasMore, place.kind === "before"];
    const [first, last] = [groups[0]?.[0].id, groups.at(-1)?.[0].id];
    return {
      items: this.#shown(taskId, groups),
      before: hasOlder && first !== undefined ? messageId(first) : null,
      after: hasNewer && last !== undefined ? messageId(last) : null,
    };
  }

  #groups(conversation: readonly Prefix[], place: MessagePlace, limit: number) {
    const { messages } = this.#parts;
    if (place.kind !== "after") {
      const before = place.kind === "before" ? place.id : Number.MAX_SAFE_INTEGER;
      const taken = takeGroups(messages.backwards(conversation, before), limit);
      return { ...taken, groups: taken.groups.map((rows) => rows.toReversed() as Group).toReversed() };
    }
    // The message that the page comes after has more rows than its first.
    const taken = takeGroups(messages.forwards(conversation, place.id), limit + 1);
    const isNamed = taken.groups[0]?.[0].id === place.id;
    const groups = isNamed ? taken.groups.slice(1) : taken.groups.slice(0, limit);
    return { groups, hasMore: taken.hasMore || (!isNamed && taken.groups.length > limit) };
  }

  #shown(taskId: string, groups: readonly Group[]): readonly TaskMessage[] {
    const { turns, hitl, verdicts, messages } = this.#parts;
    const turnIds = [...new Set(groups.map(([{ turnId }]) => turnId))];
    const results = turns.results(turnIds);
    const lastIds = messages.lastOfTurns(turnIds);
    const requests = Map.groupBy(hitl.ofTurns(turnIds), ({ turnId }) => turnId);
    const decided = Map.groupBy(verdicts.ofTurns(turnIds), ({ turnId }) => turnId);
    return groups.map((rows) => {
      const [{ turnId, role }] = rows;
      const isLast = (lastIds.get(turnId) ?? 0) <= (rows.at(-1)?.id ?? 0);
      const result = results.get(turnId) ?? null;
      const turn: ShownTurn | null = isLast ? { state: this.#stateOf(taskId, turnId, result?.state), result } : null;
      const asked = role === "user" ? [] : (requests.get(turnId) ?? []);
      return showMessage(rows, { requests: asked, verdicts: decided.get(turnId) ?? [], turn });
    });
  }

  /** A turn that is not stored was of another engine, and has ended. */
  #stateOf(taskId: string, turnId: string, stored: TaskMessage["status"] = "completed"): TaskMessage["status"] {
    const slot = this.#parts.slots.get(taskId);
    const isWaiting = stored === "running" && slot?.turnId === turnId && slot.state === "waiting_for_human";
    return isWaiting ? slot.state : stored;
  }
}

/** The first groups of rows, in their order. `hasMore`: there is another one. */
function takeGroups(rows: Iterable<ConversationRow>, limit: number): { groups: readonly Group[]; hasMore: boolean } {
  const groups: Group[] = [];
  let length = 0;
  for (const row of rows) {
    const last = groups.at(-1);
    if (last !== undefined && isOneMessage(last[0], row)) last.push(row);
    else if (groups.length === limit || length > MAX_PAGE_LENGTH) return { groups, hasMore: true };
    else groups.push([row]);
    length += row.length;
  }
  return { groups, hasMore: false };
}

const isOneMessage = (one: ConversationRow, other: ConversationRow): boolean =>
  one.role !== "user" && other.role !== "user" && one.turnId === other.turnId;
