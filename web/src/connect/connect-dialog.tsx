import { lazy, type ReactNode, Suspense } from "react";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogHeader,
  DialogTitle,
  DialogTrigger,
} from "@/components/ui/dialog";
import { Skeleton } from "@/components/ui/skeleton";

const ConnectPanel = lazy(async () => ({ default: (await import("./connect-panel.tsx")).ConnectPanel }));

/** The button that is given as child opens the panel. */
export function ConnectDialog({ children }: { children: ReactNode }) {
  return (
    <Dialog>
      <DialogTrigger asChild>{children}</DialogTrigger>
      <DialogContent className="sm:max-w-xl">
        <DialogHeader>
          <DialogTitle>Connect an agent</DialogTitle>
          <DialogDescription>Any agent with MCP, or with nothing but a shell.</DialogDescription>
        </DialogHeader>
        <Suspense fallback={<Skeleton className="h-56" />}>
          <ConnectPanel />
        </Suspense>
      </DialogContent>
    </Dialog>
  );
}
