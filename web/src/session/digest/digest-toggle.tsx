import { ListChecks } from "lucide-react";
import { Button } from "@/components/ui/button";

/** Where feed and document are tabs, the digest is a third one, and this button is not needed. */
export function DigestToggle({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  return (
    <Button
      variant={open ? "secondary" : "outline"}
      size="sm"
      className="max-[899px]:hidden"
      aria-expanded={open}
      onClick={onToggle}
    >
      <ListChecks aria-hidden="true" /> Digest
    </Button>
  );
}
