import { Notices } from "./parts/notices.tsx";
import { Frame } from "./shell/frame.tsx";
import { Shell } from "./shell/shell.tsx";
import { SignIn } from "./session/sign-in.tsx";
import { session } from "./session/session.ts";

export const App = () => (
  <>
    {session.value === "unknown" ? (
      <Frame />
    ) : session.value === null ? (
      <SignIn />
    ) : (
      <Shell key={session.value.id} sessionId={session.value.id} />
    )}
    <Notices />
  </>
);
