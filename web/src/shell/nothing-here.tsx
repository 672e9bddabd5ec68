import { Link } from "@tanstack/react-router";
import { Button } from "@/components/ui/button";

interface NothingHereProps {
  title: string;
  children: React.ReactNode;
}

/** Instead of a page: what is missing, in a sentence, and the way back. */
export function NothingHere({ title, children }: NothingHereProps) {
  return (
    <main className="mx-auto flex w-full max-w-md flex-col items-center gap-4 px-4 py-16 text-center">
      <div className="flex flex-col gap-2">
        <h1 className="text-lg font-semibold">{title}</h1>
        <p className="text-sm break-words text-muted-foreground">{children}</p>
      </div>
      <Button asChild variant="outline">
        <Link to="/">All sessions</Link>
      </Button>
    </main>
  );
}
