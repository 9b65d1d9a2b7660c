// main.tsx: starts the page: the recipe of its address, the core in its worker, the app.
import { render } from "preact";
import { App } from "./app";
import { applyTheme } from "./state/theme";
import { strings } from "./strings";
import { flushAddress, follow } from "./state/recipe";
import { notice, tellEnds } from "./state/session";
import { strangePlace } from "./state/strange";
import { followTitle } from "./state/title";
import "./theme.css";

/** Shows what an address says; of one that is of another version, or unknown, it is told what is shown instead. */
function followAddress(hash: string, otherwise: string): void {
  const text = follow(hash, true) ? strangePlace(hash) : otherwise;
  if (text) notice.value = { kind: "info", text };
}

applyTheme();
tellEnds();
followAddress(location.hash, strings.common.otherVersion);
window.addEventListener("hashchange", (event) =>
  followAddress(new URL(event.newURL).hash, strings.common.otherVersionStays),
);
followTitle();
addEventListener("pagehide", flushAddress);
render(<App />, document.getElementById("app")!);

// What was visited once works without a network; a page that cannot keep itself works all the same.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  addEventListener("load", () => void navigator.serviceWorker.register("./sw.js").catch(() => undefined));
}
