import { Skeleton } from "@/components/ui/skeleton";

export function SessionListSkeleton() {
  return (
    <div role="status" aria-label="Loading sessions" className="divide-y rounded-lg border bg-card">
      {[72, 48, 60, 40, 56].map((width) => (
        <div key={width} className="flex h-16 items-center gap-6 px-4">
          <Skeleton className="h-5 w-16 rounded-full" />
          <div className="flex-1 space-y-2">
            <Skeleton className="h-3.5" style={{ width: `${width}%` }} />
            <Skeleton className="h-3 w-1/3" />
          </div>
          <Skeleton className="hidden h-3 w-24 md:block" />
        </div>
      ))}
    </div>
  );
}
