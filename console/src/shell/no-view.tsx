import { Empty } from "../parts/empty.tsx";
import { linkTo } from "../routing/address.ts";

export const NoView = () => (
  <>
    <h1>Not found</h1>
    <Empty title="There is no view at this address.">
      <p>
        <a href={linkTo("/")}>Open the fleet</a>
      </p>
    </Empty>
  </>
);
