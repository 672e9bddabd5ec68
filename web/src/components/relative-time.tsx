import { isoTime, relativeTime, useNow } from "@/lib/time.ts";

export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const now = useNow();
  return (
    <time dateTime={isoTime(at)} title={isoTime(at)} className={className}>
      {relativeTime(at, now)}
    </time>
  );
}
