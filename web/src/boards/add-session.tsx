import { Plus } from "lucide-react";
import { useDeferredValue, useEffect, useState } from "react";
import { Button } from "@/components/ui/button";
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from "@/components/ui/command";
import { Popover, PopoverContent, PopoverTrigger } from "@/components/ui/popover";
import { ask } from "@/lib/ask.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { type Row, RowsQuery } from "@/sessions/queries.ts";

/** Finds a session and puts it into the first zone. */
export function AddSession({ onBoard, onAdd }: { onBoard: ReadonlySet<string>; onAdd: (id: string) => void }) {
  const [open, setOpen] = useState(false);
  return (
    <Popover open={open} onOpenChange={setOpen}>
      <PopoverTrigger asChild>
        <Button size="sm">
          <Plus aria-hidden /> Add a session
        </Button>
      </PopoverTrigger>
      <PopoverContent align="end" className="w-80 max-w-[calc(100vw-2rem)] p-0" aria-label="Add a session">
        <Finder
          onBoard={onBoard}
          onAdd={(id) => {
            setOpen(false);
            onAdd(id);
          }}
        />
      </PopoverContent>
    </Popover>
  );
}

function Finder({ onBoard, onAdd }: { onBoard: ReadonlySet<string>; onAdd: (id: string) => void }) {
  const [words, setWords] = useState("");
  const search = useDeferredValue(words.trim());
  const [rows, setRows] = useState<Row[]>([]);
  useEffect(() => {
    let over = false;
    const variables = { search: search || null, status: null, archived: null, limit: 20 };
    void ask(RowsQuery, variables).then(
      ({ data }) => over || setRows(data?.listSessionRows.rows.filter((row) => row !== null) ?? []),
    );
    return () => {
      over = true;
    };
  }, [search]);
  return (
    <Command shouldFilter={false}>
      <CommandInput value={words} onValueChange={setWords} placeholder="Find a session…" />
      <CommandList className="p-1">
        <CommandEmpty>Nothing found.</CommandEmpty>
        <CommandGroup>
          {rows
            .filter(({ id }) => !onBoard.has(id))
            .map(({ id, ref, title }) => (
              <CommandItem key={id} value={id} onSelect={() => onAdd(id)}>
                <bdi className="truncate">{visibleName(title)}</bdi>
                <span className="ml-auto shrink-0 font-mono text-xs text-muted-foreground">{ref}</span>
              </CommandItem>
            ))}
        </CommandGroup>
      </CommandList>
    </Command>
  );
}
