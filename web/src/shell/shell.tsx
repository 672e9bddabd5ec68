import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useState } from "react";
import { Toaster } from "@/components/ui/sonner";
import { Gate } from "@/people/gate.tsx";
import { useIsInside } from "@/people/me.ts";
import { Header } from "./header.tsx";
import { PageSkeleton } from "./page-skeleton.tsx";
import { useShellCommands } from "./use-shell-commands.ts";

const PALETTE_AFTER_MS = 1_000;
const loadPalette = () => import("./command-palette.tsx");
const CommandPalette = lazy(loadPalette);
const ShortcutsSheet = lazy(() => import("./shortcuts-sheet.tsx"));

/** What is around every page. */
export function Shell() {
  const [open, setOpen] = useState<"palette" | "shortcuts">();
  const close = (isOpen: boolean) => !isOpen && setOpen(undefined);
  const isInside = useIsInside();
  // Whoever opens it types at once: what is typed while it is still being loaded would be lost. The page itself comes first.
  useEffect(() => {
    const timer = setTimeout(() => loadPalette().catch(() => undefined), PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  useShellCommands({ palette: () => isInside && setOpen("palette"), shortcuts: () => setOpen("shortcuts") });

  return (
    <div className="flex min-h-dvh flex-col">
      <Header onPalette={() => setOpen("palette")} onShortcuts={() => setOpen("shortcuts")} />
      <div id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col outline-none">
        <Suspense fallback={<PageSkeleton />}>
          <Gate>
            <Outlet />
          </Gate>
        </Suspense>
      </div>
      <Suspense>
        {open === "palette" && <CommandPalette open onOpenChange={close} />}
        {open === "shortcuts" && <ShortcutsSheet open onOpenChange={close} />}
      </Suspense>
      <Toaster />
    </div>
  );
}
