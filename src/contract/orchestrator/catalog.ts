import * as z from "zod/mini";
import { integer } from "../../shared/parse.ts";
import { ACTORS } from "./event-types.ts";
import { type RecordOf, extended, field, nullable, record } from "../record.ts";
import { count, text, time } from "../response-schemas.ts";

export const catalogFile = record("CatalogFile", "A file of a product's catalog.", {
  path: field(text, "The path below the catalog's folder.", "agents/default.md"),
  bytes: field(count, "The file's size.", 812),
  sha256: field(text, "The SHA-256 of its content in hex."),
  executable: field(z.boolean(), "Whether it has the mode of an executable file.", false),
});
export type CatalogFile = RecordOf<typeof catalogFile>;

export const catalogFault = record("CatalogFault", "A fault in a catalog, or a possible mistake.", {
  path: field(text, "The path below the catalog's folder, or `(archive)`.", "tools/weather.json"),
  line: field(z.optional(count), "The line in the file. Left out if it concerns the whole file.", 3),
  message: field(text, "What is wrong.", "expected a description"),
});
export type CatalogFault = RecordOf<typeof catalogFault>;

const version = {
  version: field(count, "The versions count from 1. 0 is the one before the first push, without a file.", 12),
  digest: nullable(text, "SHA-256 over the files in hex: the same files have the same digest. `null` without a file."),
  bytes: field(count, "The size of all files, unpacked.", 20_480),
  restored_from: nullable(count, "The version whose files a rollback restored. `null` for a push.", null),
  created_at: nullable(time, "When it was pushed or restored. `null` for version 0."),
  actor: nullable(
    z.enum(ACTORS),
    "Who did that: a call of the product or of an operator. `null` for version 0.",
    "product",
  ),
};

const catalogVersion = record("CatalogVersion", "A version of a product's catalog.", {
  ...version,
  files: field(count, "The number of its files.", 9),
});
export type CatalogVersion = RecordOf<typeof catalogVersion>;

const productCatalog = record("ProductCatalogRecord", "The current version of a product's catalog.", {
  ...version,
  files: field(z.array(catalogFile), "Its files by path."),
});
export type ProductCatalogRecord = RecordOf<typeof productCatalog>;

const catalogHistory = record("CatalogHistory", "The versions of a product's catalog that are stored.", {
  versions: field(z.array(catalogVersion), "The newest first."),
});
export type CatalogHistory = RecordOf<typeof catalogHistory>;

const changes = record("CatalogChanges", "The paths that differ between two versions.", {
  added: field(z.array(text), "Files that only the new version has.", ["agents/translator.md"]),
  changed: field(z.array(text), "Files with another content or mode.", []),
  removed: field(z.array(text), "Files that only the version before has.", []),
});
export type CatalogChanges = RecordOf<typeof changes>;

const rollout = record(
  "CatalogRollout",
  "The reloads of the product's running engines. Sleeping and stopped engines use the version from their next start.",
  {
    running: field(count, "Engines that run.", 12),
    reloaded: field(count, "Engines of them that use the version now.", 12),
    failed: field(
      z.array(
        z.object({
          user_id: field(text, "The product's id of the user.", "alice"),
          reason: field(text, "Why its engine does not use the version."),
        }),
      ),
      "At most 20 of the other engines. Their reload is retried.",
      [],
    ),
  },
);
export type CatalogRollout = RecordOf<typeof rollout>;

/** A call that a dry run judges by the rules. */
export const triedCall = z.strictObject({
  tool: z.string().check(z.minLength(1), z.maxLength(200)),
  input: z.record(z.string(), z.unknown()),
});
export type TriedCall = z.output<typeof triedCall>;

const triedRule = record("TriedRule", "The rule of `settings.yaml` that decides a call.", {
  permission: field(z.enum(["allow", "ask", "deny"]), "What the rule says.", "deny"),
  path: field(text, "The file of the rule.", "settings.yaml"),
  line: field(count, "Its line in the file.", 3),
  reason: nullable(text, "The reason that it gives. `null` without one.", "the folder is confidential"),
});

const catalogPushed = extended(catalogVersion, "CatalogPushed", "What a push or a rollback did.", {
  is_new: field(z.boolean(), "`false` if the current version has the same files already.", true),
  changes: field(changes, "The paths that differ from the version that was current."),
  warnings: field(z.array(catalogFault), "Possible mistakes in the files.", []),
  engines: nullable(rollout, "The reloads of the running engines. `null` for a dry run."),
  tried: field(
    z.optional(z.nullable(triedRule)),
    "The rule that decides the call of `try`. `null` if none does, left out without `try`.",
  ),
});
export type CatalogPushed = RecordOf<typeof catalogPushed>;

export const rollbackRequest = z.object({
  version: field(
    integer(0, 2_147_483_647),
    "The version whose files become current again. 0 is the catalog without a file.",
    11,
  ),
});

/** The bodies of the routes of a product's catalog. */
export const CATALOG_RESPONSES = {
  ProductCatalog: productCatalog,
  CatalogHistory: catalogHistory,
  CatalogPushed: catalogPushed,
};

/** The answer of the program that checks a product's catalog. */
export const catalogCheck = z.object({
  files: z.array(catalogFile),
  errors: z.array(catalogFault),
  /** The number of omitted errors. */
  more_errors: z.int(),
  warnings: z.array(catalogFault),
  /** Left out unless a call was to be judged. */
  tried: z.optional(z.nullable(triedRule)),
});
export type CatalogCheck = z.output<typeof catalogCheck>;
