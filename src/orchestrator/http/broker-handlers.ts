import type { AnswerTo, Asked, QuestionName } from "../../contract/broker/questions.ts";
import { answerConnection, answerEngine, answerLogin } from "../operations/answer-broker.ts";
import type { TokenHost } from "../operations/connection-token.ts";

/** What answers the broker's questions. */
export type BrokerHandlers = {
  readonly [Name in QuestionName]: (asked: Asked<Name>) => Promise<AnswerTo<Name>>;
};

export const brokerHandlers = (host: TokenHost): BrokerHandlers => ({
  engine: (asked) => answerEngine(host, asked),
  connection: (asked) => answerConnection(host, asked),
  login: (asked) => answerLogin(host, asked),
});
