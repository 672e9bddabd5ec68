import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/components/ui/dialog";
import { CommandLine } from "@/connect/command-line.tsx";
import { visibleName } from "@/session/markdown/visible.ts";

export interface Invited {
  link: string;
  name: string | null;
}

/** The only time that it is seen. */
export function LinkMade({ link, name, onClose }: Invited & { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <DialogHeader>
          <DialogTitle>A sign-in link for {name ? visibleName(name) : "somebody new"}</DialogTitle>
          <DialogDescription>
            Give it to them alone: whoever opens it first is signed in. It works once, within 7 days, and is not shown
            again.
          </DialogDescription>
        </DialogHeader>
        <CommandLine text={link} />
      </DialogContent>
    </Dialog>
  );
}
