import type { Unsaid } from "../material.ts";

/** Questions about what no conversation touches. */
export const STRANGERS: readonly Unsaid[] = [
  { asked: ["What did I name my tortoise?", "How old is my tortoise?"], never: ["tortoise"] },
  { asked: ["When is my trombone recital?", "Who accompanies my trombone recital?"], never: ["trombone"] },
  { asked: ["Which fencing club did I join?", "What did my fencing coach tell me?"], never: ["fencing"] },
  { asked: ["What was the verdict of the jury that I sat on?", "How long was my jury duty?"], never: ["jury"] },
  { asked: ["Which tattoo did I get on my shoulder?", "Who did my tattoo?"], never: ["tattoo"] },
  { asked: ["What is the name of my godson?", "When was my godson baptised?"], never: ["godson"] },
  { asked: ["What crop do I grow on my allotment?", "How much is the lease of my allotment?"], never: ["allotment"] },
  { asked: ["What was my score at the archery meet?", "Which bow do I use for archery?"], never: ["archery"] },
  {
    asked: ["What is the balance of my pension plan?", "When can I draw my pension?"],
    never: ["pension plan", "my pension"],
  },
  { asked: ["Which vaccine did I get before the trip to Kenya?", "Where did I stay in Kenya?"], never: ["Kenya"] },
];
