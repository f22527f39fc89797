import t from "tap";
import { noAttemptEscapes, withAttempts } from "./no-escape.ts";

t.test("under a daemon of root no attempt of a command leaves the sandbox", withAttempts, (t) =>
  noAttemptEscapes(t, { by: ["command"] }),
);
