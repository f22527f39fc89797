// Written by "npm run generate" from the rows with a `clientMethod` in src/contract.

import * as routes from "./orchestrator-routes.ts";
import type { Calls, ListOf, OptionsOf } from "./route.ts";

export const adminMethods = ({ call, list }: Calls) => ({
  /** List products. */
  listProducts: (given: ListOf<typeof routes.listProducts> = {}) => list(routes.listProducts, given),
  /** Get a product. */
  getProduct: (productId: string, given: OptionsOf<typeof routes.showProduct, "productId"> = {}) => call(routes.showProduct, { ...given, productId }),
  /** Delete a product. Not sent again after a lost response. */
  deleteProduct: (productId: string, given: OptionsOf<typeof routes.deleteProduct, "productId"> = {}) => call(routes.deleteProduct, { ...given, productId }),
  /** Replace the secret that signs calls of the product's hook on tools. Not sent again after a lost response. */
  rotateToolHookSecret: (productId: string, given: OptionsOf<typeof routes.rotateToolHookSecret, "productId"> = {}) => call(routes.rotateToolHookSecret, { ...given, productId }),
  /** List the plans of a product. */
  listPlans: (productId: string, given: OptionsOf<typeof routes.listPlans, "productId"> = {}) => call(routes.listPlans, { ...given, productId }),
  /** Get a plan. */
  getPlan: (productId: string, plan: string, given: OptionsOf<typeof routes.showPlan, "productId" | "plan"> = {}) => call(routes.showPlan, { ...given, productId, plan }),
  /** Delete a plan that no engine has. */
  deletePlan: (productId: string, plan: string, given: OptionsOf<typeof routes.deletePlan, "productId" | "plan"> = {}) => call(routes.deletePlan, { ...given, productId, plan }),
  /** List the open questions of every product. */
  listQuestions: (given: ListOf<typeof routes.adminQuestions> = {}) => list(routes.adminQuestions, given),
  /** Read the price table again; 400 names its faults. */
  reloadPrices: (given: OptionsOf<typeof routes.reloadPrices> = {}) => call(routes.reloadPrices, given),
  /** List the secrets of a product, without their values. */
  listProductSecrets: (productId: string, given: OptionsOf<typeof routes.listProductSecrets, "productId"> = {}) => call(routes.listProductSecrets, { ...given, productId }),
  /** Get a secret of a product, without its value. */
  getProductSecret: (productId: string, secretName: string, given: OptionsOf<typeof routes.showProductSecret, "productId" | "secretName"> = {}) => call(routes.showProductSecret, { ...given, productId, secretName }),
  /** Delete a secret of a product. */
  deleteProductSecret: (productId: string, secretName: string, given: OptionsOf<typeof routes.deleteProductSecret, "productId" | "secretName"> = {}) => call(routes.deleteProductSecret, { ...given, productId, secretName }),
  /** Encrypt what is stored with the current secret key, for some seconds. */
  rotateMaster: (given: OptionsOf<typeof routes.rotateMaster> = {}) => call(routes.rotateMaster, given),
  /** List the engines of every product. */
  listEngines: (given: ListOf<typeof routes.adminEngines> = {}) => list(routes.adminEngines, given),
  /** Restart a running engine after its running turns, with the daemon's version. Not sent again after a lost response. */
  restartEngine: (engineId: string, given: OptionsOf<typeof routes.restartEngine, "engineId"> = {}) => call(routes.restartEngine, { ...given, engineId }),
  /** Get the host: ports, engines by state, load, isolation, warnings. */
  status: (given: OptionsOf<typeof routes.adminStatus> = {}) => call(routes.adminStatus, given),
  /** Get what the engines of the host used in the last hour, together. */
  samples: (given: OptionsOf<typeof routes.hostSamples> = {}) => call(routes.hostSamples, given),
  /** Get what an engine used in the last hour. */
  engineSamples: (engineId: string, given: OptionsOf<typeof routes.engineSamples, "engineId"> = {}) => call(routes.engineSamples, { ...given, engineId }),
  /** Check the daemon and its host: what is wrong, and what helps. */
  doctor: (given: OptionsOf<typeof routes.checkHost> = {}) => call(routes.checkHost, given),
  /** List the backups of the host, and the one that runs. */
  listBackups: (given: OptionsOf<typeof routes.listBackups> = {}) => call(routes.listBackups, given),
  /** Start a backup. 202 with its name; `GET /admin/backups` shows its progress. Not sent again after a lost response. */
  createBackup: (given: OptionsOf<typeof routes.createBackup> = {}) => call(routes.createBackup, given),
  /** Accept no new engines. */
  drain: (given: OptionsOf<typeof routes.drainHost> = {}) => call(routes.drainHost, given),
  /** Accept new engines again. */
  resume: (given: OptionsOf<typeof routes.resumeHost> = {}) => call(routes.resumeHost, given),
  /** Run the schedules that a restore left paused. */
  resumeSchedules: (given: OptionsOf<typeof routes.resumeSchedules> = {}) => call(routes.resumeSchedules, given),
  /** Replace the key that signs identity tokens. Not sent again after a lost response. */
  rotateIdentityKey: (given: OptionsOf<typeof routes.rotateIdentityKey> = {}) => call(routes.rotateIdentityKey, given),
  /** Create a link that opens one session within a minute. Not sent again after a lost response. */
  createLink: (given: OptionsOf<typeof routes.createLink> = {}) => call(routes.createLink, given),
  /** List the open sessions. */
  listSessions: (given: ListOf<typeof routes.listSessions> = {}) => list(routes.listSessions, given),
  /** End a session. Not sent again after a lost response. */
  endSession: (sessionId: string, given: OptionsOf<typeof routes.endSession, "sessionId"> = {}) => call(routes.endSession, { ...given, sessionId }),
});
