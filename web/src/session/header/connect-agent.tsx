import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle } from "@/components/ui/sheet";
import { ConnectPanel } from "../../connect/connect-panel.tsx";
import { useSession } from "../store/session-provider.tsx";

/** Into this session; or, when it was continued, to where it goes on. */
export default function ConnectAgent({ onClose }: { onClose: () => void }) {
  const head = useSession((session) => session.head);
  const lineage = useSession((session) => session.lineage);
  const { ref, state } = lineage.continuations.at(-1) ?? head;
  const goal = { ref, concluded: state === "concluded" };
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent className="w-full overflow-y-auto sm:max-w-xl">
        <SheetHeader>
          <SheetTitle>Connect an agent</SheetTitle>
          <SheetDescription>
            {ref === head.ref ? "The exact lines for this session" : "This session goes on: the exact lines for"}{" "}
            <code>{ref}</code>
            {goal.concluded ? ", which is concluded: an agent goes on in a new session that continues it." : "."}
          </SheetDescription>
        </SheetHeader>
        <div className="px-4 pb-6">
          <ConnectPanel goal={goal} />
        </div>
      </SheetContent>
    </Sheet>
  );
}
