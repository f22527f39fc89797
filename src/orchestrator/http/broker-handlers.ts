import type { AnswerTo, Asked, QuestionName } from "../../contract/broker/questions.ts";
import { BrokerAnswers } from "../operations/answer-broker.ts";

/** What answers the broker's questions. */
export type BrokerHandlers = {
  readonly [Name in QuestionName]: (asked: Asked<Name>) => Promise<AnswerTo<Name>>;
};

export function brokerHandlers(...[host]: ConstructorParameters<typeof BrokerAnswers>): BrokerHandlers {
  const answers = new BrokerAnswers(host);
  return {
    engine: (asked) => answers.engine(asked),
    reserve: (asked) => answers.reserve(asked),
    settle: (asked) => answers.settle(asked),
  };
}
