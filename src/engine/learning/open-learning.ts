import type { Logger } from "../../shared/logger.ts";
import type { LiveCatalog } from "../catalog/live-catalog.ts";
import { type LearningTables, endFact } from "../memory/open-memory.ts";
import type { WriteLane } from "../memory/write-lane.ts";
import type { ModelProvider } from "../model/model-provider.ts";
import { EntityResolver } from "./entity-resolver.ts";
import { extractByModel } from "./extract-by-model.ts";
import { consolidateProfile } from "./profile/consolidate-profile.ts";
import { ProfileEditing } from "./profile/profile-editing.ts";
import { Learning, type LearningParts } from "./learning.ts";
import { SkillReview } from "./skill-review.ts";

export interface OpenParts {
  readonly tables: LearningTables;
  readonly lane: WriteLane;
  readonly provider: ModelProvider;
  readonly models: { readonly light: string; readonly main: string };
  readonly toolNamed: LearningParts["toolNamed"];
  readonly catalog: Pick<LiveCatalog, "catalog" | "folder" | "reload">;
  readonly isBusy: LearningParts["isBusy"];
  readonly isAllowed: LearningParts["isAllowed"];
  readonly logger: Logger;
  readonly schedule?: NonNullable<LearningParts["schedule"]>;
}

export interface OpenLearning {
  readonly learning: Learning;
  readonly skills: SkillReview;
  readonly profile: ProfileEditing;
}

export function openLearning(parts: OpenParts): OpenLearning {
  const { tables, lane, provider, models, toolNamed, catalog, isBusy, isAllowed, logger, schedule } = parts;
  const skillNames = () => new Set(catalog.catalog.skills.keys());
  const model = { provider, models: [...new Set([models.light, models.main])], logger };
  const now = Date.now;
  const learning = new Learning({
    ...tables,
    lane,
    people: new EntityResolver(tables.graph),
    extract: extractByModel(model),
    consolidate: (signal) => consolidateProfile({ ...tables, lane, model, now }, signal),
    toolNamed,
    skillNames,
    isBusy,
    isAllowed,
    now,
    logger,
    ...(schedule && { schedule }),
  });
  const reload = () => catalog.reload();
  return {
    learning,
    skills: new SkillReview({ ...tables, lane, catalogFolder: catalog.folder, skillNames, reload, now }),
    profile: new ProfileEditing({ ...tables, lane, now, endFact: (id, at) => endFact(tables, id, at) }),
  };
}
