import { ActionsProvider } from "./actions/actions-provider.tsx";
import { Speak } from "./composer/speak.tsx";
import { FeedColumn } from "./feed/feed-column.tsx";
import { SessionHeader } from "./header/session-header.tsx";
import { InboxProvider } from "./inbox.tsx";
import { SessionPanes } from "./session-panes.tsx";
import { OfflineBanner, SessionOtherwise } from "./session-states.tsx";
import { SessionTitle } from "./session-title.tsx";
import { SessionProvider } from "./store/session-provider.tsx";

/** A line on top, the feed with what is said under it, and beside it what comes of the talk. */
export function SessionPage({ sessionRef }: { sessionRef: string }) {
  return (
    <SessionProvider
      sessionRef={sessionRef}
      otherwise={(state, retry) => <SessionOtherwise sessionRef={sessionRef} state={state} onRetry={retry} />}
    >
      {/* Feed and document scroll, the page does not: it takes the room that the shell leaves, however much is in it. */}
      <div className="relative h-0 min-h-0 grow">
        <div className="absolute inset-0 flex flex-col">
          <OfflineBanner />
          <ActionsProvider>
            <InboxProvider>
              <SessionTitle />
              <SessionHeader />
              <SessionPanes feed={<FeedColumn composer={<Speak />} />} />
            </InboxProvider>
          </ActionsProvider>
        </div>
      </div>
    </SessionProvider>
  );
}

export default SessionPage;
