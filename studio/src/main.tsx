// main.tsx: starts the page: the recipe from its address, the core in its worker, the app.
import { render } from "preact";
import { App } from "./app";
import { applyTheme } from "./state/theme";
import { strings } from "./strings";
import { flushAddress, follow } from "./state/recipe";
import { followLanguage } from "./state/language";
import { notice, showError, reportEnds } from "./state/session";
import { followTitle, unknownAddress } from "./state/views";
import "./theme.css";

/** Shows a notice if the address is unknown or of another version. */
function showAddressNotice(hash: string, isOurs: boolean, otherwise: string): void {
  const text = isOurs ? unknownAddress(hash) : otherwise;
  if (text) notice.value = { kind: "info", text };
}

applyTheme();
reportEnds();
const isOurs = follow(location.hash, true);
await followLanguage(showError);
showAddressNotice(location.hash, isOurs, strings.common.otherVersion);
window.addEventListener("hashchange", (event) => {
  const { hash } = new URL(event.newURL);
  showAddressNotice(hash, follow(hash, true), strings.common.otherVersionStays);
});
followTitle();
addEventListener("pagehide", flushAddress);
render(<App />, document.getElementById("app")!);

// What was visited once works without a network; a page that cannot keep itself works all the same.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  addEventListener("load", () => void navigator.serviceWorker.register("./sw.js").catch(() => undefined));
}
