import { type Destructive, confirm, destructive } from "../confirm.ts";
import type { EnginePolicy, Plan } from "../../src/client/records.ts";
import { POLICY_FIELDS, type PolicyFieldName } from "../../src/contract/orchestrator/policy-fields.ts";
import type { Policy } from "../../src/contract/orchestrator/policy.ts";
import { type EnginePolicyOptions, enginePolicyOptions, readEnginePolicy } from "../engine-policy-options.ts";
import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";
import { ago } from "../times.ts";
import { describeField } from "./product-show.ts";

const listCommand: CommandMaker = (group, settings) => {
  group
    .command("list")
    .alias("ls")
    .description("List the plans of the product, with the number of engines that have each")
    .addHelpText("after", example("orchctl plans list --product demo"))
    .action(async (_options, command) => {
      const session = sessionOf(command, settings);
      const { data } = await ofProduct(session, (admin, product) => admin.listPlans(product));
      const rows = data.map((plan) => [
        plan.name,
        String(plan.engines),
        ago(plan.updated_at, Date.now()),
        Object.keys(plan.policy).join(", "),
      ]);
      session.print.document({ data }, (wide) => table(["PLAN", "ENGINES", "CHANGED", "SETS"], rows, wide));
    });
};

const showCommand: CommandMaker = (group, settings) => {
  group
    .command("show <plan>")
    .description("Show what a plan sets")
    .addHelpText("after", example("orchctl plans show pro"))
    .action(async (name: string, _options, command) => {
      const session = sessionOf(command, settings);
      const plan = await ofProduct(session, (admin, product) => admin.getPlan(product, name));
      session.print.document(plan, (wide) => describePlan(plan, wide));
    });
};

const setCommand: CommandMaker = (group, settings) => {
  enginePolicyOptions(group.command("set <plan>"))
    .description("Create a plan, or replace all that it sets; what is not given is decided by the product's policy")
    .addHelpText("after", example("orchctl plans set pro --memory 2048 --budget engine.cost_per_month=20"))
    .action(async (name: string, options: EnginePolicyOptions, command) => {
      const session = sessionOf(command, settings);
      const policy = await readEnginePolicy(options);
      const plan = await ofProduct(session, (admin, product) => admin.setPlan(product, name, policy));
      session.print.document(plan, (wide) => describePlan(plan, wide));
    });
};

const deleteCommand: CommandMaker = (group, settings) => {
  destructive(group.command("delete <plan>"))
    .alias("rm")
    .description("Delete a plan that no engine has")
    .option("--replace-by <plan>", "the plan that its engines get")
    .addHelpText("after", example("orchctl plans delete trial --replace-by free"))
    .action(async (name: string, { replaceBy, yes }: Destructive & { readonly replaceBy?: string }, command) => {
      const session = sessionOf(command, settings);
      await confirm(`Delete the plan ${safe(name)}?`, { yes, context: { url: session.settings.url } });
      const given = replaceBy === undefined ? {} : { replaceBy };
      const deleted = await ofProduct(session, (admin, product) => admin.deletePlan(product, name, given));
      const moved = `; engines that have ${safe(replaceBy ?? "")} now: ${deleted.engines_moved}`;
      session.print.document(deleted, () => `deleted ${safe(name)}${replaceBy === undefined ? "" : moved}`);
    });
};

interface PlanOptions {
  readonly none?: boolean;
}

const enginePlanCommand: CommandMaker = (group, settings) => {
  group
    .command("plan <user> [plan]")
    .description("Give an engine another plan, or none; running turns keep going")
    .option("--none", "no plan: the product's policy decides")
    .addHelpText("after", example("orchctl engines plan alice pro"))
    .action(async (user: string, plan: string | undefined, { none = false }: PlanOptions, command) => {
      if ((plan === undefined) !== none) throw new CliFailure("usage", "expected either a plan or --none");
      const { client, print } = sessionOf(command, settings);
      const engine = await client.platform((one) => one.changeEngine(user, { plan: plan ?? null }), { user });
      print.document(engine, () => `${safe(user)} has ${plan === undefined ? "no plan" : `the plan ${safe(plan)}`}`);
      print.note("Memory, disk, processes and attachments change with the engine's next start.");
    });
};

interface OwnOptions extends EnginePolicyOptions {
  readonly clear?: boolean;
}

const enginePolicyCommand: CommandMaker = (group, settings) => {
  enginePolicyOptions(group.command("policy <user>"))
    .description(
      "Show what holds for an engine, and where each value comes from; with options, replace all that is set for it alone",
    )
    .option("--clear", "set nothing for it alone: its plan and the product's policy decide")
    .addHelpText("after", example("orchctl engines policy alice --memory 4096"))
    .action(async (user: string, { clear = false, ...options }: OwnOptions, command) => {
      const session = sessionOf(command, settings);
      const policy = await readEnginePolicy(options);
      const isChange = Object.keys(policy).length > 0;
      if (clear && isChange) throw new CliFailure("usage", "expected either --clear or what to set");
      const held =
        clear || isChange
          ? await ofProduct(session, (admin, product) => admin.setEnginePolicy(product, user, policy))
          : await session.client.platform((one) => one.getEnginePolicy(user), { user });
      session.print.document(held, (wide) => describeHeld(held, wide));
    });
};

export const PLAN_COMMANDS: readonly CommandMaker[] = [listCommand, showCommand, setCommand, deleteCommand];
export const ENGINE_PLAN_COMMANDS: readonly CommandMaker[] = [enginePlanCommand, enginePolicyCommand];

type Admin = Parameters<Parameters<Session["client"]["admin"]>[0]>[0];

/** Operators say what plans permit, so with the admin key. */
async function ofProduct<T>({ client }: Session, work: (admin: Admin, product: string) => Promise<T>): Promise<T> {
  const product = await client.namedProduct();
  return client.admin((admin) => work(admin, product), { product });
}

const describePlan = ({ name, policy, engines, created_at, updated_at }: Plan, wide: number | null): string =>
  fields(
    [
      ["plan", name],
      ["engines", String(engines)],
      ["created", created_at],
      ["changed", updated_at],
      ...Object.entries(policy).map(([field, value]) => [field, valueOf(field, value)] as const),
    ],
    wide,
  );

function describeHeld({ plan, policy, from }: EnginePolicy, wide: number | null): string {
  const origins: Readonly<Record<string, string>> = from;
  const rows = Object.entries(policy).map(([field, value]) => [field, valueOf(field, value), origins[field] ?? null]);
  return [`plan: ${plan ?? "none"}`, "", table(["FIELD", "VALUE", "FROM"], rows, wide)].join("\n");
}

/** As the product's policy is shown. Of a plan's budgets those of the product are no part. */
function valueOf(field: string, value: unknown): string | null {
  const row = POLICY_FIELDS[field as PolicyFieldName];
  const shown = field === "budgets" ? { product: {}, warn_at: 0.8, ...(value as object) } : value;
  return describeField(row, shown as Policy[PolicyFieldName]);
}
