import { AskedInFeed } from "../inbox.tsx";
import { Feed } from "./feed.tsx";

/** The feed, and under it the place where people speak. */
export function FeedColumn({ composer }: { composer: React.ReactNode }) {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <Feed />
      </div>
      <AskedInFeed />
      {composer}
    </div>
  );
}
