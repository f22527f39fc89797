import type { Budgets } from "./budgets.ts";
import type { EndUsers } from "./end-users.ts";
import type { ToolHook } from "./tool-hook.ts";

/** What a field holds, and its bounds, both included. Plain data, so that the console's page can read it too. */
export type PolicyValue =
  | { readonly kind: "integer"; readonly min: number; readonly max?: number; readonly isNullable?: true }
  | { readonly kind: "switch" }
  | { readonly kind: "choice" | "choices"; readonly values: readonly string[] }
  /** `open`, `none`, or a list of hosts. */
  | { readonly kind: "network"; readonly minHosts: number; readonly maxHosts: number }
  /** Hosts and networks, as a network's list has them, origins of pages, or agents or tools, of which `null` is each. */
  | { readonly kind: "list"; readonly of: ListedKind; readonly max: number; readonly isNullable?: true }
  | { readonly kind: "ports"; readonly min: number; readonly max: number; readonly maxPorts: number }
  /** Names of models. With `null`, which is every model, they may be patterns. */
  | { readonly kind: "models"; readonly maxModels: number; readonly isNullable?: true }
  | { readonly kind: "budgets" }
  | { readonly kind: "end_users" }
  | { readonly kind: "tool_hook" };

export type ListedKind = "hosts" | "origins" | "agents" | "tools";

/** The network access of tools: the public internet, none, or the listed hosts and networks. */
export type ToolNetworkPolicy = "open" | "none" | readonly string[];

interface ValueOf {
  readonly integer: number;
  readonly switch: boolean;
  readonly network: ToolNetworkPolicy;
  readonly list: readonly string[];
  readonly ports: readonly number[];
  readonly models: readonly string[];
  readonly budgets: Budgets;
  readonly end_users: EndUsers | null;
  readonly tool_hook: ToolHook | null;
}

/** The type of a field's value. */
export type PolicyTypeOf<Value> = Value extends { readonly kind: "choice"; readonly values: readonly (infer One)[] }
  ? One
  : Value extends { readonly kind: "choices"; readonly values: readonly (infer One)[] }
    ? readonly One[]
    : Value extends { readonly kind: infer Kind extends keyof ValueOf }
      ? ValueOf[Kind] | (Value extends { readonly isNullable: true } ? null : never)
      : never;
