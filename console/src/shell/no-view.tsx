import type { SessionRole } from "@orchd/client";
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

/** A view that the role of the session does not open. */
export const ClosedView = ({ title, role }: { readonly title: string; readonly role: SessionRole | undefined }) => (
  <>
    <h1>{title}</h1>
    <Empty title={`This view needs the role ${role}.`}>
      <p>
        <a href={linkTo("/")}>Open the fleet</a>
      </p>
    </Empty>
  </>
);
