import type { HostContext } from "../host-context.ts";
import { type QuestionPage, type QuestionPlace, pageOfQuestions } from "../status/look-up-questions.ts";
import { questionRefresh } from "../supervision/collect-questions.ts";

/** Lists open questions, as the engines that are awake report them now, and those that sleep did before. */
export function questionLists(
  host: Pick<HostContext, "db" | "live" | "lanes" | "logger" | "stopping">,
): (place: QuestionPlace) => Promise<QuestionPage> {
  const refresh = questionRefresh(host);
  return async (place) => {
    await refresh();
    return pageOfQuestions(host, place);
  };
}
