import { Option } from "commander";
import { type Destructive, confirm, destructive } from "../confirm.ts";
import type { SecretRecord } from "../../src/client/records.ts";
import { SECRET_PLACES, type SecretPlace } from "../../src/contract/orchestrator/secret-limits.ts";
import { CliFailure } from "../exit-codes.ts";
import { names } from "../option-values.ts";
import { safe } from "../output.ts";
import { promptSecret, secretFromFile } from "../secret-input.ts";
import { type CommandMaker, type Session, example, sessionOf } from "../session.ts";
import { fields, table } from "../table.ts";
import { ago } from "../times.ts";

interface Whose {
  /** Left out: the secrets of the product. */
  readonly user?: string;
}

interface SetOptions extends Whose {
  readonly hosts: readonly string[];
  readonly place: SecretPlace;
  readonly header?: string;
  readonly prefix?: string;
  readonly file?: string;
  readonly from?: string;
}

const USER = ["--user <user>", "of this user (default: of the product)"] as const;

const listCommand: CommandMaker = (group, settings) => {
  group
    .command("list")
    .alias("ls")
    .description("List the secrets of the product or of a user, without their values")
    .option(...USER)
    .addHelpText("after", example("orchctl secrets list --user alice"))
    .action(async ({ user }: Whose, command) => {
      const session = sessionOf(command, settings);
      const { secrets } = await (user === undefined
        ? ofProduct(session, (admin, product) => admin.listProductSecrets(product))
        : session.client.platform((client) => client.listSecrets(user), { user }));
      const now = Date.now();
      const rows = secrets.map(({ name, hosts, place, hash_prefix: hash, from, last_used_at: used }) => [
        name,
        hosts.join(", "),
        place,
        from ?? `sha256 ${hash}…`,
        ago(used, now),
      ]);
      session.print.document({ secrets }, (wide) => table(["NAME", "HOSTS", "PLACE", "VALUE", "USED"], rows, wide));
    });
};

const setCommand: CommandMaker = (group, settings) => {
  group
    .command("set <name>")
    .description("Set a secret; its value is read from standard input, a file or a prompt, never from an argument")
    .option(...USER)
    .requiredOption("--hosts <hosts>", "the hosts that it may be sent to, separated by commas", names)
    .addOption(
      new Option("--place <place>", "where it goes in a request").choices([...SECRET_PLACES]).default("header"),
    )
    .option("--header <name>", "the header, or the parameter of the query")
    .option("--prefix <text>", "what stands before it in the header, or the user of basic authentication")
    .option("--file <path>", "a file with the value; - is standard input")
    .option("--from <source>", "where the daemon reads the value: env:NAME, file:NAME or command:KEY")
    .addHelpText("after", example("gh auth token | orchctl secrets set GITHUB --hosts api.github.com"))
    .action(async (name: string, { user, file, from, ...given }: SetOptions, command) => {
      const session = sessionOf(command, settings);
      if (from !== undefined && (file !== undefined || user !== undefined))
        throw new CliFailure(
          "usage",
          `--from is for a product's secret without --${file === undefined ? "user" : "file"}`,
        );
      const options = { ...given, hosts: [...given.hosts] };
      const value = from === undefined ? await readValue(file) : undefined;
      const secret =
        user === undefined
          ? await ofProduct(session, (admin, product) =>
              admin.setProductSecret(product, name, { ...options, value, from }),
            )
          : await session.client.platform(
              (client) => client.setSecret(user, name, { ...options, value: value ?? "" }),
              {
                user,
              },
            );
      session.print.document(secret, (wide) => fields(fieldsOf(secret), wide));
    });
};

const deleteCommand: CommandMaker = (group, settings) => {
  destructive(group.command("delete <name>"))
    .alias("rm")
    .description("Delete a secret of the product or of a user; requests that carry it are refused from then on")
    .option(...USER)
    .addHelpText("after", example("orchctl secrets delete GITHUB --user alice"))
    .action(async (name: string, { user, yes }: Whose & Destructive, command) => {
      const session = sessionOf(command, settings);
      const context = { user, url: session.settings.url };
      await confirm(`Delete the secret ${safe(name)}?`, { yes, context });
      const deleted = await (user === undefined
        ? ofProduct(session, (admin, product) => admin.deleteProductSecret(product, name))
        : session.client.platform((client) => client.deleteSecret(user, name), { user }));
      session.print.document(deleted, () => `deleted ${safe(name)}`);
    });
};

const rotateMasterCommand: CommandMaker = (group, settings) => {
  group
    .command("rotate-master")
    .description("Encrypt what the daemon stores with its current ORCH_SECRET_KEY in place of the previous one")
    .addHelpText("after", example("orchctl secrets rotate-master"))
    .action(async (_options, command) => {
      const { client, print } = sessionOf(command, settings);
      const total = { resealed: 0, unreadable: 0 };
      // An interrupted one begins again, and passes what is done already.
      for (let after: string | undefined, isDone = false; !isDone;) {
        const part = await client.admin((admin) => admin.rotateMaster({ ...(after !== undefined && { after }) }));
        total.resealed += part.resealed;
        total.unreadable += part.unreadable;
        isDone = part.next === null;
        after = part.next ?? undefined;
      }
      print.document(total, () =>
        [
          `${total.resealed} values are encrypted with the current key`,
          total.unreadable === 0
            ? "the previous key is no longer needed: remove ORCH_SECRET_KEY_PREVIOUS or the file secret-key.previous"
            : `${total.unreadable} values cannot be decrypted with either key; the daemon's log names them`,
        ].join("\n"),
      );
    });
};

export const SECRET_COMMANDS: readonly CommandMaker[] = [listCommand, setCommand, deleteCommand, rotateMasterCommand];

type AdminWork<T> = (admin: Parameters<Parameters<Session["client"]["admin"]>[0]>[0], product: string) => Promise<T>;

async function ofProduct<T>({ client }: Session, work: AdminWork<T>): Promise<T> {
  const product = await client.namedProduct();
  return client.admin((admin) => work(admin, product), { product });
}

async function readValue(file: string | undefined): Promise<string> {
  if (file !== undefined) return secretFromFile(file);
  return (await promptSecret("Value: ")) ?? secretFromFile("-");
}

const fieldsOf = (secret: SecretRecord): [string, string | null][] => [
  ["name", secret.name],
  ["hosts", secret.hosts.join(", ")],
  ["place", secret.place],
  ["header", secret.header],
  ["prefix", secret.prefix],
  ["from", secret.from],
  ["sha256", secret.hash_prefix === null ? null : `${secret.hash_prefix}…`],
];
