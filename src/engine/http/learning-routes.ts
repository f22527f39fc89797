import type { RequestHandler } from "express";
import { decideSkillRequest } from "../../contract/engine-api.ts";
import type { Learning } from "../learning/learning.ts";
import type { SkillReview } from "../learning/skill-review.ts";
import { validateBody } from "../../shared/http/validate-body.ts";

export type Learns = Pick<Learning, "trigger">;
export type DecidesSkills = Pick<SkillReview, "list" | "decide">;

/** Whatever the body says: there is nothing to choose. */
export const triggerLearningRoute =
  (learning: Learns): RequestHandler =>
  async (_request, response) => {
    response.json(await learning.trigger());
  };

export const skillDraftsRoute =
  (skills: DecidesSkills): RequestHandler =>
  (_request, response) => {
    response.json({ skills: skills.list() });
  };

export const decideSkillRoute =
  (skills: DecidesSkills): RequestHandler =>
  async (request, response) => {
    const { id, decision } = validateBody(decideSkillRequest, request.body, response);
    response.json(await skills.decide(id, decision));
  };
