import { useDocumentTitle } from "@/lib/document-title.ts";
import { visibleName } from "./markdown/visible.ts";
import { useSession } from "./store/session-provider.tsx";
import { useUnseen } from "./use-unseen.ts";

/** The name of the tab. Apart, so that nothing else is drawn again when it changes. */
export function SessionTitle() {
  const title = useSession((session) => session.head.title);
  useDocumentTitle(visibleName(title), useUnseen());
  return null;
}
