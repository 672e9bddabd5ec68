import type { CombinedError } from "@urql/core";
import { RotateCw, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { hintOf, messageOf } from "@/lib/errors.ts";
import { cn } from "@/lib/utils.ts";

interface Props {
  title?: string;
  error?: CombinedError | Error | null;
  onRetry?: () => void;
  children?: ReactNode;
  className?: string;
}

/** Says what went wrong in the server's words, and offers to try again. */
export function ErrorState({ title = "This could not be loaded", error, onRetry, children, className }: Props) {
  const fromServer = error && "graphQLErrors" in error ? error : undefined;
  const message = fromServer ? messageOf(fromServer) : error?.message;
  return (
    <div role="alert" className={cn("flex flex-col items-start gap-3 rounded-lg border p-5", className)}>
      <div className="flex items-center gap-2 font-medium">
        <TriangleAlert aria-hidden className="size-4 text-destructive" />
        {title}
      </div>
      {message && <p className="text-sm text-muted-foreground">{message}</p>}
      {fromServer && hintOf(fromServer) && <p className="text-sm text-muted-foreground">{hintOf(fromServer)}</p>}
      {children}
      {onRetry && (
        <Button variant="outline" size="sm" onClick={onRetry}>
          <RotateCw aria-hidden /> Try again
        </Button>
      )}
    </div>
  );
}
