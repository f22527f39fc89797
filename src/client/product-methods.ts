// Written by "npm run generate" from the rows with a `clientMethod` in src/contract.

import * as routes from "./orchestrator-routes.ts";
import type { OrchestratorCalls, ChangeOptions } from "./orchestrator-calls.ts";
import type { ListOf, OptionsOf } from "./route.ts";

export const productMethods = ({ call, change, list }: OrchestratorCalls) => ({
  /** Change an engine's plan or metadata. */
  changeEngine: (userId: string, given: OptionsOf<typeof routes.changeEngine, "userId"> = {}) => call(routes.changeEngine, { ...given, userId }),
  /** Get what holds for an engine, and whether the engine, its plan or the product says so. */
  getEnginePolicy: (userId: string, given: OptionsOf<typeof routes.enginePolicy, "userId"> = {}) => call(routes.enginePolicy, { ...given, userId }),
  /** Start an engine. */
  start: (userId: string, given: ChangeOptions & OptionsOf<typeof routes.startEngine, "userId" | "idempotencyKey"> = {}) => change(routes.startEngine, { ...given, userId }),
  /** Put an engine to sleep until its next call. */
  sleep: (userId: string, given: ChangeOptions & OptionsOf<typeof routes.sleepEngine, "userId" | "idempotencyKey"> = {}) => change(routes.sleepEngine, { ...given, userId }),
  /** Replace the engine's key. Not sent again after a lost response. */
  rotateKey: (userId: string, given: ChangeOptions & OptionsOf<typeof routes.rotateEngineKey, "userId" | "idempotencyKey"> = {}) => change(routes.rotateEngineKey, { ...given, userId }),
  /** Create a token with which the user's browser calls the engine. Not sent again after a lost response. */
  createToken: (userId: string, given: OptionsOf<typeof routes.createUserToken, "userId"> = {}) => call(routes.createUserToken, { ...given, userId }),
  /** End all tokens of a user, and the streams that they opened. */
  revokeTokens: (userId: string, given: OptionsOf<typeof routes.revokeUserTokens, "userId"> = {}) => call(routes.revokeUserTokens, { ...given, userId }),
  /** List the open questions and permission prompts of all users, without waking their engines. */
  listQuestions: (given: ListOf<typeof routes.listQuestions> = {}) => list(routes.listQuestions, given),
  /** Answer an open question, as the engine's `POST /hitl/respond`; the answer wakes a sleeping engine. */
  answerQuestion: (userId: string, requestId: string, given: OptionsOf<typeof routes.answerQuestion, "userId" | "requestId">) => call(routes.answerQuestion, { ...given, userId, requestId }),
  /** List the user's logins at tool servers. */
  connections: (userId: string, given: OptionsOf<typeof routes.listConnections, "userId"> = {}) => call(routes.listConnections, { ...given, userId }),
  /** Make a link with which the user signs in to a tool server. */
  connect: (userId: string, server: string, given: OptionsOf<typeof routes.beginConnection, "userId" | "server"> = {}) => call(routes.beginConnection, { ...given, userId, server }),
  /** End a login at a tool server, there too. */
  disconnect: (userId: string, server: string, given: OptionsOf<typeof routes.deleteConnection, "userId" | "server"> = {}) => call(routes.deleteConnection, { ...given, userId, server }),
  /** List the secrets of a user, without their values. */
  listSecrets: (userId: string, given: OptionsOf<typeof routes.listUserSecrets, "userId"> = {}) => call(routes.listUserSecrets, { ...given, userId }),
  /** Get a secret of a user, without its value. */
  getSecret: (userId: string, secretName: string, given: OptionsOf<typeof routes.showUserSecret, "userId" | "secretName"> = {}) => call(routes.showUserSecret, { ...given, userId, secretName }),
  /** Delete a secret of a user. */
  deleteSecret: (userId: string, secretName: string, given: OptionsOf<typeof routes.deleteUserSecret, "userId" | "secretName"> = {}) => call(routes.deleteUserSecret, { ...given, userId, secretName }),
});
