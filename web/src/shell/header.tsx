import { Link, useLocation } from "@tanstack/react-router";
import { Keyboard, Search, Settings } from "lucide-react";
import { Button } from "@/components/ui/button";
import { Kbd } from "@/components/ui/kbd";
import { cn } from "@/lib/utils.ts";
import { useIsInside } from "@/people/me.ts";
import { PersonMenu } from "@/people/person-menu.tsx";
import { ThemeMenu } from "@/theme/theme-menu.tsx";
import { shownKeys } from "./commands.ts";
import { ConnectionIndicator } from "./connection-indicator.tsx";
import { Mark } from "./mark.tsx";

const PAGES = [
  ["/", "Sessions"],
  ["/boards", "Boards"],
  ["/runners", "Runners"],
] as const;

export function Header({ onPalette, onShortcuts }: { onPalette: () => void; onShortcuts: () => void }) {
  const isInside = useIsInside();
  // On a phone a session takes the whole screen; its own line has the way back.
  const inSession = useLocation({ select: ({ pathname }) => pathname.startsWith("/s/") });
  return (
    <header
      className={cn(
        "sticky top-0 z-40 border-b bg-background/90 backdrop-blur supports-[backdrop-filter]:bg-background/75",
        inSession && isInside && "max-sm:hidden",
      )}
    >
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:rounded-md focus:bg-popover focus:px-3 focus:py-1.5 focus:text-sm focus:ring-2 focus:ring-ring"
      >
        Skip to content
      </a>
      <div className="flex h-12 items-center gap-1 px-3 sm:px-4">
        <Link
          to="/"
          className="-ml-1 flex items-center gap-2 rounded-md px-1 py-1 font-semibold tracking-tight outline-none focus-visible:ring-[3px] focus-visible:ring-ring/50"
        >
          <Mark className="size-5" />
          Parley
        </Link>
        {isInside && (
          <nav aria-label="Pages" className="ml-4 flex gap-1 text-sm max-md:hidden">
            {PAGES.map(([to, name]) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: true, includeSearch: false }}
                className="rounded-md px-2 py-1 text-muted-foreground hover:text-foreground data-[status=active]:font-medium data-[status=active]:text-foreground"
              >
                {name}
              </Link>
            ))}
          </nav>
        )}
        <div className="ml-auto flex items-center gap-0.5">
          <ConnectionIndicator />
          {isInside && (
            <Button variant="ghost" size="sm" className="text-muted-foreground" onClick={onPalette}>
              <Search aria-hidden />
              <span className="sr-only sm:not-sr-only">Go to…</span>
              <Kbd aria-hidden className="hidden sm:inline-flex">
                {shownKeys("mod+k")}
              </Kbd>
            </Button>
          )}
          <Button
            variant="ghost"
            size="icon-sm"
            className="hidden sm:inline-flex"
            aria-label="Keyboard shortcuts"
            onClick={onShortcuts}
          >
            <Keyboard aria-hidden />
          </Button>
          <ThemeMenu />
          {isInside && (
            <Button asChild variant="ghost" size="icon-sm">
              <Link to="/settings" aria-label="Settings">
                <Settings aria-hidden />
              </Link>
            </Button>
          )}
          <PersonMenu />
        </div>
      </div>
    </header>
  );
}
