import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Test } from "tap";
import { QUESTION_PREFIX } from "../../src/contract/broker/question-path.ts";
import type { AnswerTo, Asked, QuestionName } from "../../src/contract/broker/questions.ts";

type Answers = { readonly [Name in QuestionName]?: (asked: Asked<Name>) => AnswerTo<Name> };

export interface AnsweringDaemon {
  readonly url: string;
  readonly asked: { readonly name: string; readonly body: unknown }[];
}

/** A daemon that knows every engine, none of which has budgets, unless the test answers otherwise. */
export async function startAnsweringDaemon(t: Test, own: Answers = {}): Promise<AnsweringDaemon> {
  const answers: Answers = {
    engine: () => ({ is_current: true, has_budgets: false, tool_network: "open" as const }),
    reserve: () => ({ verdict: "reserved", message: "", details: {} }),
    settle: () => ({}),
    ...own,
  };
  const asked: { name: string; body: unknown }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.once("end", () => {
      const name = (request.url ?? "").slice(QUESTION_PREFIX.length) as QuestionName;
      const body = JSON.parse(text);
      asked.push({ name, body });
      response.end(JSON.stringify((answers[name] as (body: unknown) => unknown)(body)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
