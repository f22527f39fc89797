import type { AnswerTo, Asked, QuestionName } from "../../contract/broker/questions.ts";
import { answerEngine } from "../operations/answer-broker.ts";
import type { Records } from "../host-context.ts";

/** What answers the broker's questions. */
export type BrokerHandlers = {
  readonly [Name in QuestionName]: (asked: Asked<Name>) => Promise<AnswerTo<Name>>;
};

export const brokerHandlers = (host: Pick<Records, "db">): BrokerHandlers => ({
  engine: (asked) => answerEngine(host, asked),
});
