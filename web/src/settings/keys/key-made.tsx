import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/components/ui/dialog";
import { CommandLine } from "@/connect/command-line.tsx";
import { ConnectPanel } from "@/connect/connect-panel.tsx";
import { visibleName } from "@/session/markdown/visible.ts";

interface KeyMadeProps {
  secret: string;
  name: string;
  session: string | null;
  onClose: () => void;
}

/** The only time that it is seen, with the exact lines for each client. */
export function KeyMade({ secret, name, session, onClose }: KeyMadeProps) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="max-h-[calc(100dvh-2rem)] overflow-y-auto sm:max-w-xl">
        <DialogHeader>
          <DialogTitle>{visibleName(name)}</DialogTitle>
          <DialogDescription>Copy the key now: it is kept nowhere, and not shown again.</DialogDescription>
        </DialogHeader>
        <CommandLine text={secret} />
        <ConnectPanel secret={secret} {...(session && { goal: { ref: session, concluded: false } })} />
      </DialogContent>
    </Dialog>
  );
}
