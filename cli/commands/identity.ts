import { safe } from "../output.ts";
import { type CommandMaker, example, sessionOf } from "../session.ts";

export const identityRotateKeyCommand: CommandMaker = (identity, settings) => {
  identity
    .command("rotate-key")
    .description(
      "Replace the key that signs identity tokens: the new one is published first and signs some minutes later",
    )
    .option("--at-once", "let the new key sign now and withdraw the others, because one may have leaked", false)
    .addHelpText("after", example("orchctl identity rotate-key"))
    .action(async ({ atOnce }: { readonly atOnce: boolean }, command) => {
      const { client, print } = sessionOf(command, settings);
      const made = await client.admin((admin) => admin.rotateIdentityKey({ atOnce }));
      print.document(made, () =>
        made.replaces === null
          ? `The key ${safe(made.kid)} signs, and no other is published.`
          : `The key ${safe(made.kid)} is published, and signs from ${safe(made.signs_from)}.`,
      );
    });
};
