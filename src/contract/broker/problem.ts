/** On an answer of the broker when it could not reach the provider: a {@link BrokerProblem} as encoded JSON. */
export const PROBLEM_HEADER = "x-orchd-broker-problem";

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

export const encodeProblem = (problem: BrokerProblem): string => encodeURIComponent(JSON.stringify(problem));

/** Only for what the broker has sent. */
export const decodeProblem = (text: string): BrokerProblem => JSON.parse(decodeURIComponent(text)) as BrokerProblem;
