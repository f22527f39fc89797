import type { Command } from "commander";
import type { Page, PolicyPatch, ProductRecord } from "../../src/contract/orchestrator-api.ts";
import { PLATFORM_KEY_PREFIX, newKey, storedKey } from "../../src/kit/secrets.ts";
import { CliFailure } from "../exit-codes.ts";
import { pathSegment } from "../http.ts";
import { fields, safe, table } from "../output.ts";
import { confirm } from "../secret-input.ts";
import { example, sessionOf } from "../session.ts";
import type { Settings } from "../settings.ts";
import { type PolicyOptions, policyOptions, readPolicy } from "../policy-options.ts";

/** `orchctl products …`: what an operator does with products, and which one this person works with. */
export function productCommands(program: Command, settings: Settings): void {
  const products = program.command("products").description("Register products, set their policy, replace their keys");

  policyOptions(products.command("register <slug>"))
    .description("Register a product; its platform key is shown once and kept for the next commands")
    .option("--name <name>", "a name for people")
    .option("--no-save", "do not keep the key")
    .addHelpText("after", example("orchctl products register demo --max-engines 20"))
    .action(async (slug: string, options: PolicyOptions & { name?: string; save: boolean }, command: Command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const policy = await readPolicy(options, settings);
      const body = {
        slug,
        ...(options.name !== undefined && { name: options.name }),
        ...(Object.keys(policy).length > 0 && { policy }),
      };
      const product = (await client.admin("/products/register", { method: "POST", body })) as ProductRecord & {
        platform_api_key: string;
      };
      if (options.save) await credentials.savePlatformKey(slug, product.platform_api_key);
      print.document(
        product,
        () => `${describe(product)}\n\nPlatform key, shown only now:\n  ${product.platform_api_key}`,
      );
      if (options.save) print.note(`Kept in ${credentials.path}; ${slug} is the current product.`);
    });

  products
    .command("list")
    .description("List products")
    .addHelpText("after", example("orchctl products list --json"))
    .action(async (_options: unknown, command: Command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const data: ProductRecord[] = [];
      for (let cursor: string | null = ""; cursor !== null;) {
        const page = (await client.admin(`/products?limit=200${cursor && `&cursor=${cursor}`}`)) as Page<ProductRecord>;
        data.push(...page.data);
        cursor = page.next_cursor;
      }
      const current = await credentials.currentProduct();
      const row = ({ id, slug, name, policy, created_at }: ProductRecord) => [
        slug === current ? "*" : " ",
        slug,
        name,
        id,
        policy.max_engines === null ? "none" : String(policy.max_engines),
        policy.suspended ? "suspended" : "active",
        created_at,
      ];
      print.document({ data, next_cursor: null }, () =>
        table([" ", "SLUG", "NAME", "ID", "MAX ENGINES", "STATUS", "REGISTERED"], data.map(row)),
      );
    });

  products
    .command("show <product>")
    .description("Show a product, by slug or id")
    .addHelpText("after", example("orchctl products show demo"))
    .action(async (product: string, _options: unknown, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const record = (await client.admin(`/products/${pathSegment(product)}`)) as ProductRecord;
      print.document(record, () => describe(record));
    });

  policyOptions(products.command("policy <product>"))
    .description("Change a product's policy; what is not given stays")
    .addHelpText("after", example("orchctl products policy demo --max-engines none --engine-env LLM_API_KEY"))
    .action(async (product: string, options: PolicyOptions, command: Command) => {
      const { client, print } = sessionOf(command, settings);
      const body: PolicyPatch = await readPolicy(options, settings);
      const record = (await client.admin(`/products/${pathSegment(product)}/policy`, {
        method: "PUT",
        body,
      })) as ProductRecord;
      print.document(record, () => describe(record));
    });

  products
    .command("rotate-key <product>")
    .description("Make a new platform key here, show it once, and send the daemon only its hash")
    .option("--grace <seconds>", "how long the old key still works", wholeNumber, 0)
    .option("--no-save", "do not keep the new key")
    .addHelpText("after", example("orchctl products rotate-key demo --grace 86400"))
    .action(async (product: string, options: { grace: number; save: boolean }, command: Command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      const platformApiKey = newKey(PLATFORM_KEY_PREFIX);
      const { hash, prefix, last4 } = storedKey(platformApiKey);
      const body = { api_key_hash: hash, key_prefix: prefix, key_last4: last4, grace_s: options.grace };
      const record = (await client.admin(`/products/${pathSegment(product)}/platform-key-hash`, {
        method: "PUT",
        body,
      })) as ProductRecord;
      if (options.save) await credentials.savePlatformKey(record.slug, platformApiKey);
      print.document(
        { ...record, platform_api_key: platformApiKey },
        () => `Platform key, shown only now:\n  ${platformApiKey}`,
      );
      if (options.save) print.note(`Kept in ${credentials.path}.`);
    });

  products
    .command("use <slug>")
    .description("Make a product the one that later commands are for")
    .addHelpText("after", example("orchctl products use demo"))
    .action(async (slug: string, _options: unknown, command: Command) => {
      const { credentials, print } = sessionOf(command, settings);
      if ((await credentials.platformKey(slug)) === null) {
        throw new CliFailure(
          "notFound",
          `no key of ${slug} is kept in ${credentials.path}; products rotate-key ${slug} makes one`,
        );
      }
      await credentials.useProduct(slug);
      print.document({ current: slug }, () => `${slug} is the current product.`);
    });

  products
    .command("delete <product>")
    .description("Delete a product; with --force its engines too")
    .option("--force", "destroy its engines first", false)
    .option("-y, --yes", "do not ask", false)
    .addHelpText("after", example("orchctl products delete demo --force"))
    .action(async (product: string, options: { force: boolean; yes: boolean }, command: Command) => {
      const { client, credentials, print } = sessionOf(command, settings);
      if (!options.yes && !(await confirm(`Delete ${safe(product)}${options.force ? " and all its engines" : ""}?`))) {
        throw new CliFailure("usage", "not deleted; say --yes to go on without being asked");
      }
      const { slug } = (await client.admin(`/products/${pathSegment(product)}`)) as ProductRecord;
      const answer = await client.admin(`/products/${pathSegment(product)}?force=${options.force}`, {
        method: "DELETE",
      });
      await credentials.forgetProduct(slug);
      print.document(answer, () => `${slug} is deleted.`);
    });
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CliFailure("usage", `expected a whole number, got ${JSON.stringify(text)}`);
  return Number(text);
}

function describe({ slug, name, id, policy, engine_env_names, platform_key, created_at }: ProductRecord): string {
  return fields([
    ["product", `${slug}${name === null ? "" : ` (${safe(name)})`}`],
    ["id", id],
    ["registered", created_at],
    [
      "platform key",
      platform_key.prefix === null ? null : `${safe(platform_key.prefix)}…${safe(platform_key.last4 ?? "")}`,
    ],
    ["max engines", policy.max_engines === null ? "no limit" : String(policy.max_engines)],
    ["requests/minute", policy.requests_per_minute === null ? "no limit" : String(policy.requests_per_minute)],
    ["allowed", policy.allowed_actions.join(", ") || "nothing"],
    ["suspended", policy.suspended ? "yes" : "no"],
    ["drain", `${policy.drain_s} s`],
    ["memory", `${policy.memory_mb} MB an engine`],
    ["engine env", engine_env_names.join(", ") || null],
  ]);
}
