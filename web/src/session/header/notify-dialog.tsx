import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/components/ui/dialog";
import { NotifyChoices } from "@/needs/notify-choices.tsx";
import { useSession } from "../store/session-provider.tsx";

/** What of this session is worth a notification, where that is not what is worth one elsewhere. */
export default function NotifyDialog({ onClose }: { onClose: () => void }) {
  const ref = useSession(({ head }) => head.ref);
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-sm">
        <DialogHeader>
          <DialogTitle>Notifications of this session</DialogTitle>
          <DialogDescription>Also when this page is closed, and on a locked phone.</DialogDescription>
        </DialogHeader>
        <NotifyChoices session={ref} />
      </DialogContent>
    </Dialog>
  );
}
