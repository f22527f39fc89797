import * as z from "zod/mini";
import { type RecordOf, field, nullable, record } from "../record.ts";
import { count, text } from "../response-schemas.ts";

const catalogRemark = record("CatalogRemark", "A remark about an entry of the catalog.", {
  path: field(
    text,
    "The file, in the engine's catalog folder, or `(product) …` in the product's.",
    "agents/researcher.md",
  ),
  line: z.optional(field(count, "The line in which the problem starts. Omitted if it concerns the whole file.", 3)),
  message: field(text, "The problem, for the author of the entry.", "name: expected researcher as in the file name"),
});
export type CatalogRemark = RecordOf<typeof catalogRemark>;
export const catalogRemarks = z.array(catalogRemark);

const catalogEntry = record("CatalogEntry", "An agent, a skill or a declared tool.", {
  name: field(text, "The name.", "researcher"),
  description: field(text, "What the model reads about it.", "Finds and compares sources."),
});
export type CatalogEntry = RecordOf<typeof catalogEntry>;
const entries = z.array(catalogEntry);

const catalogShown = record("CatalogShown", "The catalog in use, and what a reload would find.", {
  agents: field(entries, "The agents in use."),
  skills: field(entries, "The skills in use."),
  tools: field(entries, "The declared tools in use."),
  errors: field(catalogRemarks, "Why a reload would be refused. Empty when it would not.", []),
  warnings: field(catalogRemarks, "What a reload would load although it may be a mistake.", []),
});
export type CatalogShown = RecordOf<typeof catalogShown>;

const catalogReloaded = record(
  "CatalogReloaded",
  "A catalog that was reloaded. A refusal has the `errors` in its `details`.",
  {
    agents: field(count, "The number of agents.", 2),
    skills: field(count, "The number of skills.", 5),
    tools: field(count, "The number of declared tools.", 1),
    servers: field(count, "The number of tool servers.", 3),
    errors: field(catalogRemarks, "Always empty.", []),
    warnings: field(catalogRemarks, "What was loaded although it may be a mistake.", []),
  },
);
export type CatalogReloaded = RecordOf<typeof catalogReloaded>;

const coreSoulReloaded = record("CoreSoulReloaded", "A core soul that was reloaded.", {
  hash: field(text, "SHA-256 of the template, which `GET /health` returns as `core_soul_hash`."),
  bytes: field(count, "The length of the template.", 2048),
});
export type CoreSoulReloaded = RecordOf<typeof coreSoulReloaded>;

const catalogVersionUsed = record("CatalogVersionUsed", "The version of the product's catalog that an engine uses.", {
  version: nullable(count, "`null` for the version without a file.", 12),
});
export type CatalogVersionUsed = RecordOf<typeof catalogVersionUsed>;

/** The bodies of the routes of the engine's catalog. */
export const ENGINE_CATALOG_RESPONSES = {
  CatalogShown: catalogShown,
  CatalogReloaded: catalogReloaded,
  CoreSoulReloaded: coreSoulReloaded,
  CatalogVersionUsed: catalogVersionUsed,
} as const satisfies Record<string, z.ZodMiniType>;
