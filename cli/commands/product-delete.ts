import { CliFailure } from "../exit-codes.ts";
import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";
import { confirm, destructive } from "../confirm.ts";

interface Options {
  readonly force: boolean;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

export const productDeleteCommand: CommandMaker = (products, settings) => {
  destructive(products.command("delete <product>"))
    .description("Delete a product; with --force its engines and all their data too")
    .option("--force", "destroy its engines first", false)
    .option("--dry-run", "only print what would be deleted", false)
    .addHelpText("after", example("orchctl products delete demo --force"))
    .action(async (product: string, { force, yes, dryRun }: Options, command) => {
      const session = sessionOf(command, settings);
      const { client, credentials, print } = session;
      const { slug, id } = await client.admin((admin) => admin.getProduct(product), { product });
      const what = `the product ${slug} (${id})${force ? " and all its engines with their data" : ""}`;
      if (dryRun) {
        const engines = force ? "all" : "none";
        const condition = force ? "" : ", if it has no engines; --force destroys them first";
        return print.document({ would_delete: { id, slug, engines } }, () => `would delete ${what}${condition}`);
      }
      await confirm(`Delete ${what}?`, { yes, context: { product: slug, url: session.settings.url } });
      const result = await client
        .admin((admin) => admin.deleteProduct(id, { force }), { product: slug, doing: `deleting ${slug}` })
        .catch((error: unknown) => {
          throw stillHasEngines(error, slug);
        });
      await credentials.forgetProduct({ slug, id });
      print.document(result, () => `${slug} is deleted.`);
    });
};

/** The daemon's own message names the parameter of its HTTP interface. */
function stillHasEngines(error: unknown, slug: string): unknown {
  if (!(error instanceof CliFailure && error.code === "PRODUCT_ALREADY_EXISTS")) return error;
  const advice = `orchctl products delete ${safe(slug)} --force destroys them and all their data first`;
  return new CliFailure(error.exit, `the product ${safe(slug)} still has engines (${error.code})`, error.code, advice);
}
