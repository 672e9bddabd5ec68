import { useDocumentTitle } from "@/lib/document-title.ts";
import { useInbox } from "./inbox.tsx";
import { visibleName } from "./markdown/visible.ts";
import { useSession } from "./store/session-provider.tsx";
import { useUnseen } from "./use-unseen.ts";

/** The name of the tab. Apart, so that nothing else is drawn again when it changes. */
export function SessionTitle() {
  const title = useSession((session) => session.head.title);
  useDocumentTitle(visibleName(title), { needs: useInbox().needs.length, unseen: useUnseen() });
  return null;
}
