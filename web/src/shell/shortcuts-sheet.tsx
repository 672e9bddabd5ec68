import { Kbd } from "@/components/ui/kbd";
import { Sheet, SheetContent, SheetDescription, SheetHeader, SheetTitle } from "@/components/ui/sheet";

const SHORTCUTS: [group: string, [keys: string[], what: string][]][] = [
  [
    "Everywhere",
    [
      [["⌘ K", "Ctrl K"], "Go to a session or a setting"],
      [["g s"], "All sessions"],
      [["g ,"], "Settings"],
      [["?"], "This sheet"],
    ],
  ],
  [
    "Sessions",
    [
      [["/"], "Search"],
      [["j", "k"], "Next, previous session"],
      [["Enter"], "Open the session"],
      [["n"], "New session"],
    ],
  ],
  [
    "In a session",
    [
      [["/"], "Find in the feed"],
      [["j", "k"], "Next, previous message"],
      [["."], "To the newest message"],
    ],
  ],
];

export default function ShortcutsSheet(props: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Sheet {...props}>
      <SheetContent className="w-full overflow-y-auto sm:max-w-sm">
        <SheetHeader>
          <SheetTitle>Keyboard shortcuts</SheetTitle>
          <SheetDescription>They rest while you type in a field.</SheetDescription>
        </SheetHeader>
        <div className="flex flex-col gap-6 px-4 pb-6">
          {SHORTCUTS.map(([group, shortcuts]) => (
            <section key={group}>
              <h3 className="mb-2 text-xs font-medium text-muted-foreground">{group}</h3>
              <dl className="grid grid-cols-[1fr_auto] items-center gap-y-2 text-sm">
                {shortcuts.map(([keys, what]) => (
                  <div key={what} className="contents">
                    <dt>{what}</dt>
                    <dd className="flex gap-1">
                      {keys.map((key) => (
                        <Kbd key={key}>{key}</Kbd>
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
