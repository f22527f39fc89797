import { render } from "preact";
import { App } from "./app.tsx";
import { followAddress } from "./routing/address.ts";
import { followOtherTabs, resumeSession } from "./session/session.ts";
import { applyTheme } from "./shell/theme.ts";

applyTheme();
followAddress();
followOtherTabs();
void resumeSession();
const root = document.getElementById("console");
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
