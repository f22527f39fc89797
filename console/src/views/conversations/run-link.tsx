import { linkTo } from "../../routing/address.ts";
import type { RunSource } from "./use-run-sources.ts";

/** Which schedule or webhook has sent the message of a turn. */
export const RunLink = ({
  engine,
  source: { kind, name },
}: {
  readonly engine: string;
  readonly source: RunSource;
}) => (
  <a href={linkTo(`/engines/${engine}/schedules`)}>
    {kind} <bdi>{name}</bdi>
  </a>
);
