import { engineById } from "../../live/engine.ts";
import { slugOf } from "../../live/fleet.ts";
import { StateBadge } from "../../parts/state-badge.tsx";
import { UserName } from "../../parts/user-name.tsx";
import { linkTo } from "../../routing/address.ts";
import { may } from "../../session/session.ts";
import type { ViewProps } from "../view.ts";
import { EngineActions } from "./engine-actions.tsx";

/** Which engine the view is about, its state, and what can be done with it. */
export const EngineHeader = ({ params }: ViewProps) => {
  const engine = engineById(params["engine"] ?? "");
  return (
    <header class="view-header">
      <p class="crumbs">
        <a href={linkTo("/")}>Fleet</a>
        {engine !== null && engine !== undefined && (
          <>
            {" / "}
            <a href={linkTo(`/products/${slugOf(engine.product_id)}`)}>{slugOf(engine.product_id)}</a>
          </>
        )}
      </p>
      <div class="view-title">
        <h1>{engine === null || engine === undefined ? "Engine" : <UserName id={engine.user_id} />}</h1>
        {engine !== null && engine !== undefined && <StateBadge state={engine.state} />}
        {engine !== null && engine !== undefined && may("operator") && <EngineActions engine={engine} />}
      </div>
    </header>
  );
};
