import { Kbd } from "@/components/ui/kbd";
import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle } from "@/components/ui/sheet";
import { keysOf, shownKeys, useListedCommands } from "./commands.ts";

/** The keys of the page that one is on, those of everywhere last. */
export default function ShortcutsSheet(props: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const withKeys = useListedCommands().filter(({ keys }) => keys);
  const groups = Object.entries(Object.groupBy(withKeys, ({ group }) => group)).reverse();
  return (
    <Sheet {...props}>
      <SheetContent className="w-full overflow-y-auto sm:max-w-sm">
        <SheetHeader>
          <SheetTitle>Keyboard shortcuts</SheetTitle>
          <SheetDescription>They rest while you type in a field.</SheetDescription>
        </SheetHeader>
        <div className="flex flex-col gap-6 px-4 pb-6">
          {groups.map(([group, commands = []]) => (
            <section key={group}>
              <h3 className="mb-2 text-xs font-medium text-muted-foreground">{group}</h3>
              <dl className="grid grid-cols-[1fr_auto] items-center gap-y-2 text-sm">
                {commands.map((command) => (
                  <div key={command.id} className="contents">
                    <dt>{command.title}</dt>
                    <dd className="flex gap-1">
                      {keysOf(command).map((keys) => (
                        <Kbd key={keys}>{shownKeys(keys)}</Kbd>
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
      </SheetContent>
    </Sheet>
  );
}
