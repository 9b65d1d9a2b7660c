// title.ts: the title of the page: the open view, for tabs, bookmarks and histories.
import { effect } from "@preact/signals";
import { strings } from "../strings";
import { language } from "./language";
import { viewNow } from "./views";

export function followTitle(): () => void {
  return effect(() => {
    void language.value; // another language, another title
    const { views, title } = strings.common;
    document.title = strings.share.pageTitle(views[viewNow()], title);
  });
}
