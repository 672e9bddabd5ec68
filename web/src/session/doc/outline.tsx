import { List } from "lucide-react";
import { type RefObject, useState } from "react";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";

interface Heading {
  id: string;
  text: string;
  level: number;
}

/** The headings as they are on the page: read when the menu opens, so there is no second parser to disagree. */
export function Outline({ container }: { container: RefObject<HTMLElement | null> }) {
  const [headings, setHeadings] = useState<Heading[]>([]);
  const read = () => {
    const found = container.current?.querySelectorAll<HTMLElement>("[data-heading]") ?? [];
    setHeadings(
      [...found].map((heading) => ({
        id: heading.dataset.heading ?? "",
        text: heading.textContent ?? "",
        level: Number(heading.tagName.slice(1)),
      })),
    );
  };
  const show = (id: string) => {
    const heading = container.current?.querySelector<HTMLElement>(`[data-heading="${CSS.escape(id)}"]`);
    heading?.scrollIntoView({ block: "start" });
  };
  return (
    <DropdownMenu onOpenChange={(open) => open && read()}>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon-sm" aria-label="Outline" title="Outline">
          <List aria-hidden="true" />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" className="max-h-[60vh] max-w-80 overflow-y-auto">
        {headings.length === 0 ? <DropdownMenuItem disabled>No headings</DropdownMenuItem> : null}
        {headings.map(({ id, text, level }) => (
          <DropdownMenuItem key={id} onSelect={() => show(id)} style={{ paddingLeft: `${level * 0.7}rem` }}>
            <span className="truncate">{text}</span>
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
