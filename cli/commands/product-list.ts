import type { ProductRecord } from "../../src/contract/orchestrator-records.ts";
import { table } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

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
        id,
        policy.max_engines === null ? "no limit" : String(policy.max_engines),
        policy.suspended ? "suspended" : "active",
        created_at,
      ];
      print.document({ data, next_cursor: null }, () =>
        table([" ", "SLUG", "NAME", "ID", "MAX ENGINES", "STATUS", "REGISTERED"], data.map(row)),
      );
    });
};
