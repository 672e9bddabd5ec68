import { useState } from "react";
import { CopyButton } from "@/components/copy-button.tsx";
import { Button } from "@/components/ui/button";
import { LineageLinks } from "../lineage/lineage-links.tsx";
import { visible } from "../markdown/visible.ts";
import type { Participant, SessionHead } from "../queries.ts";
import { useFlash } from "../use-flash.ts";
import type { Lineage } from "../use-session.ts";
import { ConnectAgent } from "./connect-agent.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { LiveIndicator } from "./live-indicator.tsx";
import { Roster } from "./roster.tsx";
import { StateBadge } from "./state-badge.tsx";

const LONG_DESCRIPTION = 160;
const LONG_ON_A_PHONE = 45;

interface SessionHeaderProps {
  head: SessionHead;
  participants: Participant[];
  lineage: Lineage;
  children?: React.ReactNode;
}

export function SessionHeader({ head, participants, lineage, children }: SessionHeaderProps) {
  const title = useFlash<HTMLHeadingElement>(head.title);
  return (
    <header className="shrink-0 border-b px-4 py-2 sm:py-3">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h1
            ref={title}
            title={head.title}
            className="line-clamp-2 rounded text-lg leading-snug font-semibold break-words"
          >
            {visible(head.title)}
          </h1>
          <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted-foreground">
            <StateBadge state={head.state} />
            <code className="text-foreground">{head.ref}</code>
            <CopyButton value={head.ref} label="Copy the ref" className="size-6" />
            <LiveIndicator />
            <LineageLinks lineage={lineage} />
          </div>
        </div>
        <div className="flex items-center gap-2">
          {children}
          <ExportMenu id={head.id} sessionRef={head.ref} />
          <ConnectAgent sessionRef={head.ref} />
        </div>
      </div>
      <Description text={head.description} />
      <Roster participants={participants} last={head.lastSequence} />
    </header>
  );
}

function Description({ text }: { text: string }) {
  const element = useFlash<HTMLParagraphElement>(text);
  const [whole, setWhole] = useState(false);
  if (!text.trim()) return null;
  const long = text.length > LONG_DESCRIPTION || text.includes("\n");
  return (
    <div className="mt-1.5 max-w-[90ch] text-sm text-muted-foreground">
      <p
        ref={element}
        className={`rounded break-words ${whole ? "max-h-[30vh] overflow-y-auto whitespace-pre-wrap" : "line-clamp-1 sm:line-clamp-2"}`}
      >
        {visible(text)}
      </p>
      {long || text.length > LONG_ON_A_PHONE ? (
        <Button
          variant="link"
          size="sm"
          className={`h-auto p-0 text-xs ${long ? "" : "sm:hidden"}`}
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
        >
          {whole ? "Less" : "More"}
        </Button>
      ) : null}
    </div>
  );
}
