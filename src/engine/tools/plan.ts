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

interface Wish extends Readonly<Record<string, unknown>> {
  readonly items?: readonly { readonly text: string; readonly status?: PlanStatus }[];
  readonly update?: readonly { readonly item: number; readonly text?: string; readonly status?: PlanStatus }[];
}

const MAX_ITEMS = 50;
const MARKS: Readonly<Record<PlanStatus, string>> = { pending: " ", in_progress: ">", completed: "x", cancelled: "-" };
/** What an entry of working memory that holds a plan begins with. */
export const PLAN_HEADING = "Plan:";

const text = () => z.string().check(z.minLength(1), z.maxLength(500), z.regex(/\S/));
const status = () => z.optional(z.enum(STATUSES));

/** The agent's own list of what there is to do. It is there again when the conversation about it was summarised. */
export function planTool(plans: PlanBook): Tool<Wish> {
  return {
    name: "plan",
    description:
      "Keeps your list of steps for work that takes several: items sets the whole list, update changes some of it, neither shows it. Have one step in_progress at a time, and mark each completed as soon as it is.",
    input: toolInput(
      z.object({
        items: z.optional(z.array(z.object({ text: text(), status: status() })).check(z.maxLength(MAX_ITEMS))),
        update: z.optional(
          z
            .array(
              z.object({
                item: z.int().check(z.gte(1), z.describe("Its number in the list, from 1")),
                text: z.optional(text()),
                status: status(),
              }),
            )
            .check(z.maxLength(MAX_ITEMS)),
        ),
      }),
    ),
    readOnly: false,
    permission: "allow",
    resources: () => ["plan"],
    subject: () => "its plan, whatever the steps",
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

/** As a person and a model read them: `1. [x] the step`. */
export const planLines = (plan: readonly PlanItem[]): string[] =>
  plan.map(({ text, status }, index) => `${index + 1}. [${MARKS[status]}] ${text.replaceAll(/\s+/g, " ").trim()}`);

const isOpen = (status: PlanStatus): boolean => status === "pending" || status === "in_progress";

function changed(plan: readonly PlanItem[], updates: NonNullable<Wish["update"]>): readonly PlanItem[] {
  const items = [...plan];
  for (const { item, text, status } of updates) {
    const old = items[item - 1];
    if (old === undefined) throw new ToolFailed(`there is no item ${item}; the plan has ${plan.length}`);
    items[item - 1] = { text: text ?? old.text, status: status ?? old.status };
  }
  return items;
}
