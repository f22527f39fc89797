import type { Policy, ProductRecord } from "../../src/client/records.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import {
  POLICY_FIELDS,
  type PolicyField,
  type PolicyFieldName,
} from "../../src/contract/orchestrator/policy-fields.ts";
import { safe } from "../output.ts";
import { describeBudgets } from "../budget-option.ts";
import { describeToolHook } from "../tool-hook-options.ts";
import { assertPaired } from "../pair-host.ts";
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
      const row = (product: ProductRecord) => [
        product.slug === current ? "*" : " ",
        product.slug,
        product.name,
        statusOf(product),
        product.policy.max_engines === null ? "no limit" : String(product.policy.max_engines),
        ago(product.created_at, Date.now()),
        product.id,
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
      await assertPaired(credentials, url);
      if ((await credentials.platformKey(slug)) === null) {
        const advice = `orchctl products rotate-key ${slug} creates a new one; the old one expires then, or after --grace`;
        throw new CliFailure("notFound", `no key of ${slug} for ${url} is stored in ${credentials.path}; ${advice}`);
      }
      await credentials.useProduct(slug);
      print.document({ current: slug }, () => `${slug} is the current product.`);
    });
};

const statusOf = ({ policy, deletion }: ProductRecord): string =>
  deletion !== undefined ? "deleting" : policy.suspended ? "suspended" : "active";

export function describeProduct(product: ProductRecord, columns: number | null): string {
  const {
    slug,
    name,
    id,
    policy,
    engine_env_names,
    engine_env_values: values,
    platform_key: key,
    deletion,
    created_at,
  } = product;
  const describeSetting = (setting: string) =>
    Object.hasOwn(values, setting) ? `${setting}=${values[setting]}` : `${setting} (secret)`;
  return fields(
    [
      ["product", `${slug}${name === null ? "" : ` (${safe(name)})`}`],
      ["id", id],
      ["registered", created_at],
      ["deleting", deletion ? `since ${deletion.started_at}, ${deletion.engines_left} engines left` : null],
      [
        "platform key",
        key.prefix === null ? null : `${safe(key.prefix)}…${safe(key.last4 ?? "")} since ${key.created_at}`,
      ],
      ...policyRows(policy),
      ["engine env", engine_env_names.map(describeSetting).join(", ") || null],
    ],
    columns,
  );
}

const policyRows = (policy: Policy): readonly (readonly [string, string | null])[] =>
  Object.entries<PolicyField>(POLICY_FIELDS).map(([name, row]) => [
    row.label.toLowerCase(),
    describeField(row, policy[name as PolicyFieldName]),
  ]);

/** `https://id.example.com for orchd: turns tasks:read`. */
const describeEndUsers = (endUsers: Policy["end_users"]): string =>
  endUsers === null ? "none" : `${endUsers.issuer} for ${endUsers.audience}: ${endUsers.scope}`;

export function describeField(
  { value: { kind }, unit }: PolicyField,
  value: Policy[PolicyFieldName] | undefined,
): string | null {
  if (value === undefined) return null;
  switch (kind) {
    case "tool_hook":
      return safe(describeToolHook(value as Policy["tool_hook"]) ?? "none");
    case "end_users":
      return safe(describeEndUsers(value as Policy["end_users"]));
    case "budgets":
      return describeBudgets(value as Policy["budgets"]);
    case "switch":
      return value === true ? "yes" : "no";
    case "integer":
    case "choice":
    case "choices":
    case "network":
    case "list":
    case "ports":
    case "models":
      if (value === null) return "no limit";
      if (Array.isArray(value)) return safe(value.join(", ")) || "none";
      return `${safe(String(value))}${unit === undefined ? "" : ` ${unit}`}`;
    default:
      return kind satisfies never;
  }
}
