import { toolInput } from "../tools/tool-input.ts";
import * as z from "zod/mini";
import type { Tool } from "../tools/tool.ts";
import type { HttpServerConfig } from "./server-config.ts";
import { toolName } from "./tool-definition.ts";

/**
 * Of a server that lists its tools only to users who have signed in: the tool that asks for it. It is always offered, for a
 * call of it may wait over a restart, and be over when the user has signed in.
 */
export const signInTool = (
  { name }: HttpServerConfig,
  { beforeStart, tools }: Pick<Tool, "beforeStart"> & { readonly tools: () => readonly Tool[] },
): Tool => ({
  name: toolName(name, "sign_in"),
  description: `Asks the user to sign in to the tool server ${name}. Its other tools are offered afterwards. Use it when they are missing.`,
  input: toolInput(z.object({})),
  source: `server:${name}`,
  alwaysLoad: true,
  readOnly: true,
  permission: "allow",
  returns: "own",
  bookkeeping: true,
  resources: () => [],
  ...(beforeStart !== undefined && { beforeStart }),
  run: () => Promise.resolve({ signed_in: true, tools: tools().map((one) => one.name) }),
});
