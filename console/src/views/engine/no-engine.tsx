import { Empty } from "../../parts/empty.tsx";
import { linkTo } from "../../routing/address.ts";

export const NoEngine = () => (
  <Empty title="There is no engine with this id.">
    <p>
      It may have been destroyed. <a href={linkTo("/")}>Open the fleet</a>
    </p>
  </Empty>
);
