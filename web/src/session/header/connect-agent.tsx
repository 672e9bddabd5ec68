import { Plug } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle, SheetTrigger } from "@/components/ui/sheet";
import { ConnectPanel } from "../../connect/connect-panel.tsx";

export function ConnectAgent({ sessionRef }: { sessionRef: string }) {
  return (
    <Sheet>
      <SheetTrigger asChild>
        <Button size="sm">
          <Plug aria-hidden="true" />{" "}
          <span>
            Connect<span className="max-sm:sr-only"> an agent</span>
          </span>
        </Button>
      </SheetTrigger>
      <SheetContent className="w-full overflow-y-auto sm:max-w-xl">
        <SheetHeader>
          <SheetTitle>Connect an agent</SheetTitle>
          <SheetDescription>
            The exact lines for this session, <code>{sessionRef}</code>.
          </SheetDescription>
        </SheetHeader>
        <div className="px-4 pb-6">
          <ConnectPanel sessionRef={sessionRef} />
        </div>
      </SheetContent>
    </Sheet>
  );
}
