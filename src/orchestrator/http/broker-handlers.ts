import type { AnswerTo, Asked, QuestionName } from "../../contract/broker/questions.ts";
import { BrokerAnswers, type BrokerHost } from "../operations/answer-broker.ts";
import { answerIdentity } from "../operations/answer-identity-question.ts";

/** What answers the broker's questions. */
export type BrokerHandlers = {
  readonly [Name in QuestionName]: (asked: Asked<Name>) => Promise<AnswerTo<Name>>;
};

export function brokerHandlers(host: BrokerHost & Parameters<typeof answerIdentity>[0]): BrokerHandlers {
  const answers = new BrokerAnswers(host);
  return {
    engine: (asked) => answers.engine(asked),
    reserve: (asked) => answers.reserve(asked),
    settle: (asked) => answers.settle(asked),
    identity: (asked) => answerIdentity(host, asked),
  };
}
