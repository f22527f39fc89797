import type { EngineClient, EngineRecord, MessageContent } from "@orchd/client";
import type { Signal } from "@preact/signals";
import { products } from "../../live/fleet.ts";
import { useResource } from "../../live/resource.ts";
import { useAction } from "../../parts/action.ts";
import { linkTo, setQuery } from "../../routing/address.ts";
import { Beside } from "./beside.tsx";
import { Chat } from "./chat.tsx";
import { ChoiceFields } from "./choice-fields.tsx";
import { type SideName, readChoice, turnOptions } from "./choice.ts";
import { Composer, type Later } from "./composer.tsx";
import { TaskHeader } from "./task-header.tsx";
import { taskPath } from "./task-path.ts";
import { useBeside } from "./use-beside.ts";
import type { Side } from "./use-side.ts";

interface TalkProps {
  readonly engine: EngineRecord;
  readonly calls: EngineClient;
  /** The conversation, or two that get the same messages. */
  readonly sides: readonly [Side] | readonly [Side, Side];
  readonly draft: Signal<string>;
  readonly onCompare: () => Promise<void>;
}

const NAMES: readonly SideName[] = ["a", "b"];

/** A conversation, or two side by side, and where the next message of both is written. */
export const Talk = ({ engine, calls, sides, draft, onCompare }: TalkProps) => {
  const { id, url } = engine;
  const { isBusy: isForking, run } = useAction();
  const { isBeside, toggle } = useBeside();
  const agents = useResource(async (signal) => (await calls.showCatalog({ signal })).agents, [id]);
  const sandbox = useResource((signal) => runsSandbox(calls, signal), [id]);
  const isCompared = sides.length === 2;
  const [first] = sides;
  const shown = sides.map((side, index) => {
    const name = NAMES[index] ?? "a";
    const choice = readChoice(name);
    return { side, name, choice, options: turnOptions(choice) };
  });
  const send = async (message: MessageContent, text: string, later: Later) => {
    // A new conversation gets an address.
    setQuery({ task: first.task });
    const sent = shown.map(async ({ side: { conversation, isBusy }, options }) => {
      if (isBusy) return run(() => conversation.sendLater(text, { ...options, message, ...LATER[later] }));
      // Its failure is shown with the message.
      void conversation.send(text, { ...options, message });
      return true;
    });
    return (await Promise.all(sent)).every(Boolean);
  };
  const cancel = () =>
    run(
      () => Promise.all(sides.filter(({ isBusy }) => isBusy).map(({ task }) => calls.cancel(task))),
      "The turn is cancelled.",
    );
  return (
    <div class={`talk ${isBeside ? "with-beside" : ""}`}>
      <div class="chat">
        <div class="chats">
          {shown.map(({ side, name, choice, options }) => (
            <Chat
              key={side.task}
              engine={id}
              calls={calls}
              side={side}
              label={isCompared ? `Conversation ${name.toUpperCase()}` : "Conversation"}
              options={options}
              onRewound={(message) => (draft.value = message)}
            >
              {isCompared ? (
                <header class="section-head">
                  <h2>{name.toUpperCase()}</h2>
                  <a class="button small" href={linkTo(taskPath(id, side.task))}>
                    Go on with {name.toUpperCase()}
                  </a>
                </header>
              ) : (
                <TaskHeader engine={id} calls={calls} task={side.task} record={side.record} onChanged={side.reload} />
              )}
              <ChoiceFields
                side={name}
                choice={choice}
                agents={(agents.data ?? []).map(({ name }) => name).filter((one) => one !== "default")}
                models={modelsOf(engine.product_id)}
              />
            </Chat>
          ))}
        </div>
        <div class="composer">
          <Composer
            draft={draft}
            isBusy={sides.some(({ isBusy }) => isBusy)}
            isSandbox={sandbox.data !== false}
            onSend={send}
            onCancel={() => void cancel()}
          >
            {!isCompared && (
              <button type="button" disabled={isForking || first.isBusy} onClick={() => void run(onCompare)}>
                Compare
              </button>
            )}
            <button type="button" aria-pressed={isBeside} onClick={toggle}>
              Context and request
            </button>
          </Composer>
        </div>
      </div>
      {isBeside &&
        shown.map(({ side, options }) => (
          <Beside key={side.task} url={url} calls={calls} side={side} options={options} draft={draft} />
        ))}
    </div>
  );
};

const LATER = {
  steer: { whenBusy: "steer" },
  interrupt: { whenBusy: "steer", interrupt: true },
  queue: { whenBusy: "queue" },
} as const;

/** Names for the settings' models, and those that the policy allows by their whole name. */
function modelsOf(productId: string): readonly string[] {
  const allowed = products.value?.get(productId)?.policy.allowed_models ?? [];
  return ["main", "planner", "light", ...allowed.filter((name) => !name.endsWith("*"))];
}

/** By its last turn; null for an engine without one. */
async function runsSandbox(calls: EngineClient, signal: AbortSignal): Promise<boolean | null> {
  const [last] = (await calls.listTurns({ limit: 1, signal })).items;
  if (last === undefined) return null;
  const [call] = (await calls.modelRequests(last.turn_id, { signal })).requests;
  return call === undefined ? null : call.provider === "sandbox";
}
