export interface RunNames {
  readonly threadId: string;
  readonly runId: string;
}

export interface RunStart {
  /** The client's messages, which a correction repeats. */
  readonly messages: readonly object[];
  readonly state: unknown;
  /** Requests and calls that the client has answered. */
  readonly answered: ReadonlySet<string>;
  /** The `seq` up to which the client has the turn. */
  readonly seenSeq: number;
  /** The turn waits no longer where it waited up to this `seq`. */
  readonly passedSeq: number;
}
