import { render } from "preact";
import { App } from "./app.tsx";
import { followAddress } from "./routing/address.ts";
import { resumeSession } from "./session/session.ts";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
followAddress();
void resumeSession();
const root = document.getElementById("console");
if (root !== null) render(<App />, root);
