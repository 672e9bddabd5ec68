import { List } from "lucide-react";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import { visibleName } from "../markdown/visible.ts";
import type { Heading } from "./headings.ts";

const MOST = 300;

interface OutlineProps {
  headings: readonly Heading[];
  onShow: (index: number) => void;
}

/** The contents as a menu, where there is no room beside the text. */
export function Outline({ headings, onShow }: OutlineProps) {
  return (
    <DropdownMenu modal={false}>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon-sm" aria-label="Outline" title="Outline">
          <List aria-hidden="true" />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="start" className="max-h-[60vh] max-w-80 overflow-y-auto">
        {headings.length === 0 ? <DropdownMenuItem disabled>No headings</DropdownMenuItem> : null}
        {headings.slice(0, MOST).map(({ text, level }, index) => (
          <DropdownMenuItem
            // biome-ignore lint/suspicious/noArrayIndexKey: two headings may be the same
            key={index}
            onSelect={() => onShow(index)}
            style={{ paddingLeft: `${level * 0.7}rem` }}
          >
            <span className="truncate">{visibleName(text)}</span>
          </DropdownMenuItem>
        ))}
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
