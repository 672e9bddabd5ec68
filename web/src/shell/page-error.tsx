import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { ErrorState } from "@/components/error-state.tsx";

/** Also what is seen when a part of the page cannot be loaded, because the server was updated or is away. */
export function PageError({ error }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <main className="mx-auto w-full max-w-3xl p-4">
      <ErrorState title="This page stumbled" error={error as Error} onRetry={() => router.invalidate()} />
    </main>
  );
}
