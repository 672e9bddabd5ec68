import { visibleName } from "../markdown/visible.ts";
import type { Message } from "../queries.ts";
import { useRoster } from "../store/session-provider.tsx";
import { nameOfTeam } from "../team-name.ts";
import { MessageTime, TeamMark } from "./chat-message.tsx";

/** Over the feed: who says what is on top, when the name above it is out of sight. */
export function StickyAuthor({ message }: { message: Message | undefined }) {
  const name = useRoster((roster) => (message?.postedBy ? nameOfTeam(message.postedBy, roster) : ""));
  if (!message?.postedBy) return null;
  const { postedBy } = message;
  return (
    <div aria-hidden="true" className="relative h-0">
      <p className="absolute inset-x-0 top-0 z-10 flex h-8 items-center gap-2 border-b bg-background px-4 text-sm">
        <TeamMark id={postedBy.id} name={name} className="-mr-0.5 ml-0.5" />
        <bdi className="truncate font-semibold" title={visibleName(postedBy.teamName)}>
          {name}
        </bdi>
        <MessageTime message={message} className="shrink-0 text-xs" />
      </p>
    </div>
  );
}
