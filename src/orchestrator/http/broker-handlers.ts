import type { AnswerTo, Asked, QuestionName } from "../../contract/broker/questions.ts";
import { answerConnection, answerEngine, answerLogin } from "../operations/answer-broker.ts";
import type { TokenHost } from "../operations/connection-token.ts";
import { answerIdentity } from "../operations/answer-identity-question.ts";
import type { HostContext } from "../host-context.ts";

/** What answers the broker's questions. */
export type BrokerHandlers = {
  readonly [Name in QuestionName]: (asked: Asked<Name>) => Promise<AnswerTo<Name>>;
};

export const brokerHandlers = (host: TokenHost & Pick<HostContext, "identityTokens">): BrokerHandlers => ({
  engine: (asked) => answerEngine(host, asked),
  connection: (asked) => answerConnection(host, asked),
  login: (asked) => answerLogin(host, asked),
  identity: (asked) => answerIdentity(host, asked),
});
