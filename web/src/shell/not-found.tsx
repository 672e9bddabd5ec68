import { Link } from "@tanstack/react-router";
import { Button } from "@/components/ui/button";
import { useDocumentTitle } from "@/lib/document-title.ts";

export function NotFound() {
  useDocumentTitle("Not found");
  return (
    <main className="mx-auto flex w-full max-w-6xl flex-col items-start gap-4 px-4 py-16">
      <h1 className="text-lg font-semibold">There is nothing at this address</h1>
      <Button asChild variant="outline">
        <Link to="/">All sessions</Link>
      </Button>
    </main>
  );
}
