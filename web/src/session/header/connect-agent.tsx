import { Plug } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle, SheetTrigger } from "@/components/ui/sheet";
import { ConnectPanel } from "../../connect/connect-panel.tsx";
import type { SessionHead } from "../queries.ts";
import type { Lineage } from "../use-session.ts";

interface ConnectAgentProps {
  head: SessionHead;
  lineage: Lineage;
}

/** Into this session; or, when it was continued, to where it goes on. */
export function ConnectAgent({ head, lineage }: ConnectAgentProps) {
  const { ref, state } = lineage.continuations.at(-1) ?? head;
  const goal = { ref, concluded: state === "concluded" };
  return (
    <Sheet>
      <SheetTrigger asChild>
        <Button size="sm" variant={head.status === "closed" ? "outline" : "default"}>
          <Plug aria-hidden="true" /> <span className="max-sm:sr-only">Connect an agent</span>
        </Button>
      </SheetTrigger>
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
