import { type CommandMaker, example, sessionOf } from "../session.ts";
import type { ProductRecord } from "../../src/contract/orchestrator-records.ts";
import type { Policy } from "../../src/contract/policy.ts";
import { safe } from "../output.ts";
import { describeBudgets } from "../budget-option.ts";
import { fields, table } from "../table.ts";
import { CliFailure } from "../exit-codes.ts";
import { ago } from "../times.ts";

export const productShowCommand: CommandMaker = (products, settings) => {
  products
    .command("show <product>")
    .description("Show a product, by slug or ID")
    .addHelpText("after", example("orchctl products show demo"))
    .action(async (product: string, _options, command) => {
      const { client, print } = sessionOf(command, settings);
      const record = await client.admin((admin) => admin.getProduct(product), { product });
      print.document(record, (columns) => describeProduct(record, columns));
    });
};

export const productListCommand: CommandMaker = (products, settings) => {
  products
    .command("list")
    .description("List products; * marks the current one")
    .addHelpText("after", example("orchctl products list --json"))
    .action(async (_options, command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const data = await client.admin((admin) => Array.fromAsync(admin.listProducts()));
      const current = await credentials.currentProduct();
      const row = ({ id, slug, name, policy, created_at }: ProductRecord) => [
        slug === current ? "*" : " ",
        slug,
        name,
        policy.suspended ? "suspended" : "active",
        policy.max_engines === null ? "no limit" : String(policy.max_engines),
        ago(created_at, Date.now()),
        id,
      ];
      print.document({ data, next_cursor: null }, (columns) =>
        table([" ", "SLUG", "NAME", "STATUS", "MAX ENGINES", "REGISTERED", "ID"], data.map(row), columns),
      );
    });
};

export const productUseCommand: CommandMaker = (products, settings) => {
  products
    .command("use <slug>")
    .description("Make a product the current one for later commands")
    .addHelpText("after", example("orchctl products use demo"))
    .action(async (slug: string, _options, command) => {
      const {
        credentials,
        print,
        settings: { url },
      } = sessionOf(command, settings);
      if ((await credentials.platformKey(slug)) === null) {
        const advice = `orchctl products rotate-key ${slug} creates a new one; the old one expires then, or after --grace`;
        throw new CliFailure("notFound", `no key of ${slug} for ${url} is stored in ${credentials.path}; ${advice}`);
      }
      await credentials.useProduct(slug);
      print.document({ current: slug }, () => `${slug} is the current product.`);
    });
};

const atMost = (limit: number | null): string => (limit === null ? "no limit" : String(limit));

export function describeProduct(product: ProductRecord, columns: number | null): string {
  const {
    slug,
    name,
    id,
    policy,
    engine_env_names,
    engine_env_values: values,
    platform_key: key,
    created_at,
  } = product;
  const describeSetting = (setting: string) =>
    Object.hasOwn(values, setting) ? `${setting}=${values[setting]}` : `${setting} (secret)`;
  return fields(
    [
      ["product", `${slug}${name === null ? "" : ` (${safe(name)})`}`],
      ["id", id],
      ["registered", created_at],
      [
        "platform key",
        key.prefix === null ? null : `${safe(key.prefix)}…${safe(key.last4 ?? "")} since ${key.created_at}`,
      ],
      ["max engines", atMost(policy.max_engines)],
      ["requests/minute", atMost(policy.requests_per_minute)],
      ["allowed", policy.allowed_actions.join(", ") || "nothing"],
      ["suspended", policy.suspended ? "yes" : "no"],
      ["drain", `${policy.drain_s} s`],
      ["memory", `${policy.memory_mb} MB per engine`],
      ["processes", `${policy.max_processes} per engine`],
      ["disk", `${policy.disk_mb} MB per engine`],
      ["CPU weight", `${policy.cpu_weight}`],
      [
        "tool network",
        typeof policy.tool_network === "string" ? policy.tool_network : safe(policy.tool_network.join(", ")),
      ],
      ["tool ports", policy.tool_listen.join(", ") || "none"],
      ["attachments", describeAttachments(policy)],
      ["budgets", describeBudgets(policy.budgets)],
      ["schedules", `${policy.max_schedules} per engine${policy.schedules_paused ? ", paused" : ""}`],
      ["schedule interval", `at least ${policy.min_schedule_interval_s} s`],
      ["engine env", engine_env_names.map(describeSetting).join(", ") || null],
    ],
    columns,
  );
}

const describeAttachments = ({ attachment_mb: mb, attachment_count: count, attachment_kinds: kinds }: Policy): string =>
  mb === 0 || count === 0 || kinds.length === 0
    ? "none"
    : `${count} and ${mb} MB per message; ${kinds.map((kind) => safe(kind)).join(", ")}`;
