import { useNow } from "@/lib/time.ts";

/** How long ago, without "ago": what waits for an answer waits so long. */
function ageOf(at: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000);
  if (minutes < 1) return "";
  if (minutes < 60) return ` ${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? ` ${hours} h` : ` ${Math.floor(hours / 24)} d`;
}

/** A reply is expected, and there is none yet. */
export function WaitingFor({ since }: { since: string }) {
  const now = useNow();
  return (
    <span
      className="shrink-0 rounded-full bg-highlight px-1.5 text-xs font-medium text-foreground"
      title="A reply is expected, and there is none yet"
    >
      <span>open</span>
      {ageOf(since, now)}
    </span>
  );
}
