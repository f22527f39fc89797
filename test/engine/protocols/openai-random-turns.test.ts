import t from "tap";
import { LONG } from "../../faults/parts/long.ts";
import { Random } from "../../faults/parts/random.ts";
import { startEngine } from "../../helpers/engine.ts";
import { freshFolder } from "../../helpers/folder.ts";
import { aiSdkChatPeer, aiSdkResponsesPeer, chatPeer, missing, responsesPeer } from "./parts/openai-peers.ts";
import { type RandomTurn, prepareWorkspace, randomTurn } from "./parts/random-turns.ts";

const TURNS = LONG ? 10_000 : 6;

const dataDir = freshFolder(t, "engine");
prepareWorkspace(dataDir);
const engine = await startEngine(t, { dataDir });

const PEERS = {
  "the client of chat completions": { peer: chatPeer(engine), cancels: true },
  "the client of Responses": { peer: responsesPeer(engine), cancels: true },
  "the AI SDK over chat completions": { peer: aiSdkChatPeer(engine), cancels: false },
  "the AI SDK over Responses": { peer: aiSdkResponsesPeer(engine), cancels: false },
};

function expected({ error }: RandomTurn): string {
  if (error === null) return "completed";
  return error === "CANCELLED" ? "cancelled" : "failed";
}

for (const [title, { peer, cancels }] of Object.entries(PEERS))
  t.test(`a random turn goes through ${title}`, { timeout: LONG ? 7_200_000 : 60_000 }, async (t) => {
    const random = new Random();
    t.comment(`seed ${random.seed}`);
    for (let index = 0; index < TURNS; index++) {
      const turn = randomTurn(random);
      if (turn.cancelled !== null && !cancels) continue;
      const outcome = await peer(turn).catch((error: unknown) => {
        throw new Error(`turn ${index} of seed ${random.seed}: ${turn.message}`, { cause: error });
      });
      const lacking = missing(outcome.text, turn.texts);
      if (outcome.state === expected(turn) && lacking === null) continue;
      t.fail(`turn ${index}`, { message: turn.message, outcome, expected: expected(turn), lacking });
    }
    t.pass("every turn was read");
  });
