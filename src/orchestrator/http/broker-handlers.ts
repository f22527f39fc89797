import type { AnswerTo, Asked, QuestionName } from "../../contract/broker/questions.ts";
import { answerMisused, answerSecret, answerSecretHosts } from "../operations/answer-secret.ts";
import { BudgetAnswers, type BudgetHost } from "../operations/answer-budget.ts";
import { answerConnection, answerLogin } from "../operations/answer-broker.ts";
import type { TokenHost } from "../operations/refresh-login.ts";
import { answerIdentity } from "../operations/answer-identity-question.ts";
import type { HostContext } from "../host-context.ts";

/** What answers the broker's questions. */
export type BrokerHandlers = {
  readonly [Name in QuestionName]: (asked: Asked<Name>) => Promise<AnswerTo<Name>>;
};

export function brokerHandlers(
  host: TokenHost & BudgetHost & Pick<HostContext, "identityTokens" | "events" | "secrets" | "logger">,
): BrokerHandlers {
  const budgets = new BudgetAnswers(host);
  return {
    engine: (asked) => budgets.engine(asked),
    reserve: (asked) => budgets.reserve(asked),
    settle: (asked) => budgets.settle(asked),
    connection: (asked) => answerConnection(host, asked),
    login: (asked) => answerLogin(host, asked),
    identity: (asked) => answerIdentity(host, asked),
    secret: (asked) => answerSecret(host, asked),
    secret_hosts: (asked) => answerSecretHosts(host, asked),
    misused: (asked) => answerMisused(host, asked),
  };
}
