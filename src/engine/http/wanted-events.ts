import type { Request } from "express";
import { EVENT_GROUPS, OPT_IN_EVENTS } from "../../contract/engine/event-groups.ts";
import { EVENTS_HEADER } from "../../contract/engine/headers.ts";
import { parameter } from "../../shared/http/parameters.ts";
import { InvalidInput } from "../../shared/parse.ts";

/** Whether a reader gets events of this type. */
export type Wanted = (event: { readonly type: string }) => boolean;

/** What a reader gets: every event of the first interface, and of the others those that it asks for. */
export function wantedEvents(request: Request): Wanted {
  const [text, field] = [parameter(request, "events"), "events"] as const;
  const header = request.get(EVENTS_HEADER);
  return withGroups([...groupsOf(text, field), ...groupsOf(header, EVENTS_HEADER)]);
}

/** Every event of the first interface, and those of these groups. */
export function withGroups(names: readonly string[]): Wanted {
  const groups = new Set(names);
  return ({ type }) => {
    const group = OPT_IN_EVENTS.get(type);
    return group === undefined || groups.has(group);
  };
}

function groupsOf(text: string | undefined, field: string): readonly string[] {
  const names = (text ?? "").split(",").map((name) => name.trim());
  const given = names.filter((name) => name !== "");
  if (!given.every((name) => Object.hasOwn(EVENT_GROUPS, name)))
    throw new InvalidInput(field, `expected a list of ${Object.keys(EVENT_GROUPS).join(", ")}, separated by commas`);
  return given;
}

/** Whether a reader gets `id:` lines. */
export const wantsIds = (request: Request): boolean =>
  request.query["ids"] === "1" || (request.query["ids"] !== "0" && request.get("Last-Event-ID") !== undefined);
