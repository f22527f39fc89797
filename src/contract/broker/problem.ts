/** On an answer of the broker when it could not reach the provider: a {@link BrokerProblem} as encoded JSON. */
export const PROBLEM_HEADER = "x-orchd-broker-problem";

/** On an answer of the broker to a call that a budget does not allow: a {@link BudgetRefusal} as encoded JSON. */
export const REFUSAL_HEADER = "x-orchd-budget-refusal";
/** Of a call whose engine has budgets. The broker then knows them although they may be new. Providers do not get it. */
export const BUDGETED_HEADER = "x-orchd-budgeted";

/** Why a budget does not allow a call. The fields are those of the error's `details`. */
export interface BudgetRefusal {
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Why a provider could not be reached, so that an engine reports it as if it had called the provider itself. */
export interface BrokerProblem {
  /** The class of the error. */
  readonly name: string;
  readonly message: string;
  /** Such as `ECONNREFUSED`. */
  readonly code?: string | undefined;
  readonly syscall?: string | undefined;
  readonly address?: string | undefined;
  readonly port?: number | undefined;
  /** The provider's host. */
  readonly host: string;
}

export const encodeProblem = (problem: BrokerProblem | BudgetRefusal): string =>
  encodeURIComponent(JSON.stringify(problem));

/** Only for what the broker has sent. */
export const decodeRefusal = (text: string): BudgetRefusal => JSON.parse(decodeURIComponent(text)) as BudgetRefusal;

/** Only for what the broker has sent. */
export const decodeProblem = (text: string): BrokerProblem => JSON.parse(decodeURIComponent(text)) as BrokerProblem;
