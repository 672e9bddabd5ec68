import { type Connection, useConnection } from "@/lib/urql.ts";
import { cn } from "@/lib/utils.ts";

const DOTS: Record<Connection, string> = {
  live: "bg-active",
  reconnecting: "bg-idle motion-safe:animate-pulse",
  offline: "bg-disconnected",
};

export function ConnectionIndicator() {
  const connection = useConnection();
  return (
    <span role="status" className="inline-flex items-center gap-1.5 px-1.5 text-xs text-muted-foreground">
      <span aria-hidden className={cn("size-2 rounded-full", DOTS[connection])} />
      <span className="sr-only">Connection: </span>
      {connection}
    </span>
  );
}
