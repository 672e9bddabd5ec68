import type { LucideIcon } from "lucide-react";
import { Button } from "@/components/ui/button";

interface PanelToggleProps {
  icon: LucideIcon;
  name: string;
  open: boolean;
  onToggle: () => void;
  className?: string;
}

/** A button that opens a part of the page; open or not, it keeps its border and its width. */
export function PanelToggle({ icon: Icon, name, open, onToggle, className = "" }: PanelToggleProps) {
  return (
    <Button
      variant="outline"
      size="sm"
      className={`aria-expanded:bg-accent dark:aria-expanded:bg-accent ${className}`}
      aria-expanded={open}
      onClick={onToggle}
    >
      <Icon aria-hidden="true" /> <span className="max-sm:sr-only">{name}</span>
    </Button>
  );
}
