// title.ts: the title of the page: which view is open, for tabs, bookmarks and histories.
import { effect } from "@preact/signals";
import { strings } from "../strings";
import { viewNow } from "./views";

export function followTitle(): () => void {
  return effect(() => {
    const { views, title } = strings.common;
    document.title = strings.share.pageTitle(views[viewNow()], title);
  });
}
