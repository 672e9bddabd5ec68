import { useState } from "react";
import { CopyButton } from "@/components/copy-button.tsx";
import { Button } from "@/components/ui/button";
import { LineageLinks } from "../lineage/lineage-links.tsx";
import { visible, visibleName } from "../markdown/visible.ts";
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
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1">
        <h1
          ref={title}
          title={visibleName(head.title)}
          className="line-clamp-2 self-center rounded font-semibold break-words max-sm:leading-tight sm:text-lg sm:leading-snug"
        >
          <bdi>{visibleName(head.title)}</bdi>
        </h1>
        <div className="flex items-center gap-1.5 sm:row-span-2 sm:gap-2">
          {children}
          <ExportMenu id={head.id} sessionRef={head.ref} />
          <ConnectAgent head={head} lineage={lineage} />
        </div>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted-foreground max-sm:col-span-2">
          <StateBadge state={head.state} />
          <code className="text-foreground">{head.ref}</code>
          <CopyButton value={head.ref} label="Copy the ref" className="size-6" />
          <LiveIndicator />
          <LineageLinks lineage={lineage} />
        </div>
      </div>
      <Description text={head.description} />
      <Roster participants={participants} last={head.lastSequence} concluded={head.status === "closed"} />
    </header>
  );
}

function Description({ text }: { text: string }) {
  const element = useFlash<HTMLParagraphElement>(text);
  const [whole, setWhole] = useState(false);
  if (!text.trim()) return null;
  const long = text.length > LONG_DESCRIPTION || text.includes("\n");
  return (
    <div
      className={`mt-1 max-w-[90ch] text-sm text-muted-foreground sm:mt-1.5 ${whole ? "" : "max-sm:flex max-sm:items-baseline max-sm:gap-2"}`}
    >
      <p
        ref={element}
        className={`min-w-0 flex-1 rounded break-words ${whole ? "max-h-[30vh] overflow-y-auto whitespace-pre-wrap" : "line-clamp-1 sm:line-clamp-2"}`}
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
