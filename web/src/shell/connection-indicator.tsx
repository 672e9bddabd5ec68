import { type Connection, useConnection } from "@/lib/connection.ts";
import { cn } from "@/lib/utils.ts";

/** "live" is said of sessions; of the connection it is enough that it stands. */
const LOOKS: Record<Connection, { word: string; dot: string }> = {
  live: { word: "connected", dot: "hidden" },
  reconnecting: { word: "reconnecting", dot: "bg-idle motion-safe:animate-pulse" },
  offline: { word: "offline", dot: "bg-disconnected" },
};

export function ConnectionIndicator() {
  const { word, dot } = LOOKS[useConnection()];
  return (
    <span role="status" className="inline-flex items-center gap-1.5 px-1.5 text-xs text-muted-foreground">
      <span aria-hidden className={cn("size-2 rounded-full", dot)} />
      <span className="sr-only">Connection: </span>
      {word}
    </span>
  );
}
