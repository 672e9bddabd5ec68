import { Skeleton } from "@/components/ui/skeleton";

export function PageSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="mx-auto flex w-full max-w-6xl flex-col gap-4 px-4 py-6">
      <Skeleton className="h-7 w-56" />
      <Skeleton className="h-4 w-full max-w-md" />
      <Skeleton className="mt-4 h-64 w-full" />
    </div>
  );
}
