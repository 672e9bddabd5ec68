import { Link } from "@tanstack/react-router";
import { Button } from "@/components/ui/button";
import { useDocumentTitle } from "@/lib/document-title.ts";

export function NotFound() {
  useDocumentTitle("Not found");
  return (
    <main className="mx-auto flex w-full max-w-6xl flex-col items-start gap-4 px-4 py-16">
      <div className="flex flex-col gap-1">
        <h1 className="text-lg font-semibold">There is nothing at this address</h1>
        <p className="text-sm text-muted-foreground">
          Check how it is written, or look for it among the sessions. Links to sessions look like{" "}
          <code className="font-mono text-[13px]">/s/calm-otter-17</code>.
        </p>
      </div>
      <Button asChild variant="outline">
        <Link to="/">All sessions</Link>
      </Button>
    </main>
  );
}
