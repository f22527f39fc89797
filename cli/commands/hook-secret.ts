import { duration } from "../option-values.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const productRotateHookSecretCommand: CommandMaker = (products, settings) => {
  products
    .command("rotate-hook-secret <product>")
    .description("Replace the secret that signs calls of the product's hook on tools, and show the new one once")
    .option("--grace <time>", "how long calls are signed with both", duration, 0)
    .addHelpText("after", example("orchctl products rotate-hook-secret demo --grace 1h"))
    .action(async (product: string, { grace: graceS }: { readonly grace: number }, command) => {
      const { client, print } = sessionOf(command, settings);
      const made = await client.admin((admin) => admin.rotateToolHookSecret(product, { graceS }), { product });
      print.document(made, () => `Secret, shown only now:\n  ${made.secret}`);
    });
};
