// main.tsx: starts the page: the recipe of its address, the core in its worker, the app.
import { render } from "preact";
import { App } from "./app";
import { applyTheme } from "./state/theme";
import { follow } from "./state/recipe";
import "./theme.css";

applyTheme();
follow(location.hash);
addEventListener("hashchange", () => follow(location.hash));
render(<App />, document.getElementById("app")!);

// What was visited once works without a network; a page that cannot keep itself works all the same.
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  addEventListener("load", () => void navigator.serviceWorker.register("./sw.js").catch(() => undefined));
}
