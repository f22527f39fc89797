import * as z from "zod/mini";
import { type Tool, ToolFailed } from "./tool.ts";
import { toolInput } from "./tool-input.ts";

const STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;
export type PlanStatus = (typeof STATUSES)[number];

export interface PlanItem {
  readonly text: string;
  readonly status: PlanStatus;
}

/** The plan of each task, kept outside its transcript. */
export interface PlanBook {
  ofTask(taskId: string): readonly PlanItem[];
  replace(taskId: string, items: readonly PlanItem[]): void;
}

interface PlanInput extends Readonly<Record<string, unknown>> {
  readonly items?: readonly { readonly text: string; readonly status?: PlanStatus }[];
  readonly update?: readonly { readonly item: number; readonly text?: string; readonly status?: PlanStatus }[];
}

const MAX_ITEMS = 50;
const MARKS: Readonly<Record<PlanStatus, string>> = { pending: " ", in_progress: ">", completed: "x", cancelled: "-" };
/** First line of a working memory entry that holds a plan. */
export const PLAN_HEADING = "Plan:";

const text = () => z.string().check(z.minLength(1), z.maxLength(500), z.regex(/\S/));
const status = () => z.optional(z.enum(STATUSES));

const input = toolInput(
  z.object({
    items: z.optional(z.array(z.object({ text: text(), status: status() })).check(z.maxLength(MAX_ITEMS))),
    update: z.optional(
      z
        .array(
          z.object({
            item: z.int().check(z.gte(1), z.describe("Number in the list, from 1")),
            text: z.optional(text()),
            status: status(),
          }),
        )
        .check(z.maxLength(MAX_ITEMS)),
    ),
  }),
);

/** The agent's task list; it survives compaction of the conversation. */
export function planTool(plans: PlanBook): Tool<PlanInput> {
  return {
    name: "plan",
    description:
      "Stores your list of steps for multi-step work. items replaces the list. update changes entries. Without both, it shows the list. Keep one step in_progress. Mark a step completed once done.",
    input,
    readOnly: false,
    permission: "allow",
    returns: "own",
    bookkeeping: true,
    resources: () => ["plan"],
    subject: () => "its plan, with any steps",
    async run({ items, update }, { taskId, ...context }) {
      const before = plans.ofTask(taskId);
      const plan = changed(items?.map(({ text, status = "pending" }) => ({ text, status })) ?? before, update ?? []);
      if (items !== undefined || update !== undefined) {
        plans.replace(taskId, plan);
        context.note("summary", [PLAN_HEADING, ...planLines(plan)].join("\n"));
      }
      return { plan: planLines(plan), left: plan.filter(({ status }) => isOpen(status)).length };
    },
  };
}

/** Lines such as `1. [x] the step`. */
export const planLines = (plan: readonly PlanItem[]): string[] =>
  plan.map(({ text, status }, index) => `${index + 1}. [${MARKS[status]}] ${text.replaceAll(/\s+/g, " ").trim()}`);

const LINE = /^\d+\. \[(.)\] (.*)$/;

/** The plan that a working memory entry holds. */
export function planOfEntry(entry: string): readonly PlanItem[] {
  return entry.split("\n").flatMap((line) => {
    const [, mark, text = ""] = LINE.exec(line) ?? [];
    const status = STATUSES.find((one) => MARKS[one] === mark);
    return status === undefined ? [] : [{ text, status }];
  });
}

const isOpen = (status: PlanStatus): boolean => status === "pending" || status === "in_progress";

function changed(plan: readonly PlanItem[], updates: NonNullable<PlanInput["update"]>): readonly PlanItem[] {
  const items = [...plan];
  for (const { item, text, status } of updates) {
    const old = items[item - 1];
    if (old === undefined) throw new ToolFailed(`there is no item ${item}; the plan has ${plan.length}`);
    items[item - 1] = { text: text ?? old.text, status: status ?? old.status };
  }
  return items;
}
