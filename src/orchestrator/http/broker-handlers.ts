import type { AnswerTo, Asked, QuestionName } from "../../contract/broker/questions.ts";
import { answerEngine } from "../operations/answer-broker.ts";
import { answerIdentity } from "../operations/answer-identity-question.ts";
import type { HostContext } from "../host-context.ts";

/** What answers the broker's questions. */
export type BrokerHandlers = {
  readonly [Name in QuestionName]: (asked: Asked<Name>) => Promise<AnswerTo<Name>>;
};

export const brokerHandlers = (
  host: Pick<HostContext, "db" | "directory" | "identityTokens" | "settings">,
): BrokerHandlers => ({
  engine: (asked) => answerEngine(host, asked),
  identity: (asked) => answerIdentity(host, asked),
});
