import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle } from "@/components/ui/sheet";
import { useSession } from "../store/session-provider.tsx";
import { livelyFirst } from "./roster-button.tsx";
import { TeamEntry } from "./team-entry.tsx";

/** Everybody who is or was here: at what, where, how far with the feed, and what can be done about it. */
export default function RosterSheet({ onClose }: { onClose: () => void }) {
  const participants = useSession((session) => session.participants);
  const concluded = useSession(({ head }) => head.status === "closed");
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent className="w-full gap-0 overflow-y-auto sm:max-w-md">
        <SheetHeader>
          <SheetTitle>Teams</SheetTitle>
          <SheetDescription>
            {concluded ? "Who was here." : "Who listens hears you at once; who works, at its next call."}
          </SheetDescription>
        </SheetHeader>
        <ul aria-label="Teams" className="divide-y border-t">
          {livelyFirst(participants, concluded).map((team) => (
            <TeamEntry key={team.id} team={team} roster={participants} concluded={concluded} onActed={onClose} />
          ))}
        </ul>
      </SheetContent>
    </Sheet>
  );
}
