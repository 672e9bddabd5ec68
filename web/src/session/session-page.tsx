import { ChartGantt, ListChecks } from "lucide-react";
import { useState } from "react";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { PanelToggle } from "./header/panel-toggle.tsx";
import { SessionHeader } from "./header/session-header.tsx";
import { visibleName } from "./markdown/visible.ts";
import { type Panel, SessionPanes } from "./session-panes.tsx";
import { OfflineBanner, SessionDeleted, SessionFailed, SessionLoading, SessionUnknown } from "./session-states.tsx";
import { Timeline } from "./timeline/timeline.tsx";
import { useSession } from "./use-session.ts";
import { useUnseen } from "./use-unseen.ts";

export function SessionPage({ sessionRef }: { sessionRef: string }) {
  const state = useSession(sessionRef);
  const [timeline, setTimeline] = useState(false);
  const [panel, setPanel] = useState<Panel>("doc");
  const open = state.phase === "open" ? state.session.head : undefined;
  const unseen = useUnseen(open?.lastSequence);
  useDocumentTitle(open ? visibleName(open.title) : sessionRef, unseen);
  if (state.phase === "loading") return <SessionLoading />;
  if (state.phase === "unknown") return <SessionUnknown sessionRef={sessionRef} />;
  if (state.phase === "deleted") return <SessionDeleted />;
  if (state.phase === "failed") return <SessionFailed error={state.error} onRetry={state.retry} />;
  const { head, participants, lineage } = state.session;
  return (
    // Feed and document scroll, the page does not: it takes the room that the shell leaves, however much is in it.
    <div className="relative h-0 min-h-0 grow">
      <div className="absolute inset-0 flex flex-col">
        <OfflineBanner />
        <SessionHeader head={head} participants={participants} lineage={lineage}>
          <PanelToggle
            icon={ListChecks}
            name="Digest"
            open={panel === "digest"}
            onToggle={() => setPanel(panel === "digest" ? "doc" : "digest")}
            // Where feed and document are tabs, the digest is a third one.
            className="max-[899px]:hidden"
          />
          <PanelToggle icon={ChartGantt} name="Timeline" open={timeline} onToggle={() => setTimeline(!timeline)} />
        </SessionHeader>
        {timeline ? <Timeline head={head} participants={participants} /> : null}
        <SessionPanes session={state.session} panel={panel} onPanel={setPanel} />
      </div>
    </div>
  );
}

export default SessionPage;
