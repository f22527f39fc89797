import type { ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { pathSegment } from "../http.ts";
import { ENGINE_DEADLINE_MS } from "../orchestrator-client.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { confirm } from "../terminal.ts";

interface Options {
  readonly force: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export const productDeleteCommand: CommandMaker = (products, settings) => {
  products
    .command("delete <product>")
    .description("Delete a product; with --force its engines and all their data too")
    .option("--force", "destroy its engines first", false)
    .option("-y, --yes", "do not ask; needed where there is no terminal", false)
    .option("--dry-run", "only say what would be deleted", false)
    .addHelpText("after", example("orchctl products delete demo --force"))
    .action(async (product: string, { force, yes, dryRun }: Options, command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const { slug, id } = await client.admin<ProductRecord>(`/products/${pathSegment(product)}`);
      const what = `the product ${slug} (${id})${force ? " and all its engines with their data" : ""}`;
      if (dryRun) {
        const engines = force ? "all" : "none";
        return print.document({ would_delete: { id, slug, engines } }, () => `would delete ${what}`);
      }
      await confirm(`Delete ${what}?`, { yes });
      const answer = await client.admin(`/products/${pathSegment(id)}?force=${force}`, {
        method: "DELETE",
        deadlineMs: ENGINE_DEADLINE_MS,
      });
      await credentials.forgetProduct({ slug, id });
      print.document(answer, () => `${slug} is deleted.`);
    });
};
