import { ChartGantt } from "lucide-react";
import { Button } from "@/components/ui/button";

export function TimelineToggle({ open, onToggle }: { open: boolean; onToggle: () => void }) {
  return (
    <Button variant={open ? "secondary" : "outline"} size="sm" aria-expanded={open} onClick={onToggle}>
      <ChartGantt aria-hidden="true" /> Timeline
    </Button>
  );
}
