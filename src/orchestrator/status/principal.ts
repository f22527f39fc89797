import type { Scope } from "../../contract/engine/scopes.ts";
import type { TaskBounds } from "../../contract/engine/task-bounds.ts";
import type { TokenHolder } from "../store/token-holders.ts";

/** Who calls `/me`, and what the call may do. */
export interface Principal extends Pick<TokenHolder, "productId" | "userId" | "layers"> {
  /** Null for a user of a product's identity provider who has no engine yet. */
  readonly engineId: string | null;
  readonly tokenId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The only tasks that it reaches. Null: all. */
  readonly tasks: TaskBounds | null;
  /** In milliseconds since the epoch. */
  readonly expiresAt: number;
}

export type AdmittedPrincipal = Principal & { readonly engineId: string };
