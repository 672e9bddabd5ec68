import { useNavigate } from "@tanstack/react-router";
import { List, Settings } from "lucide-react";
import { useDeferredValue, useEffect, useState } from "react";
import { useQuery } from "urql";
import { Command, CommandEmpty, CommandGroup, CommandInput, CommandItem, CommandList } from "@/components/ui/command";
import { Dialog, DialogContent, DialogDescription, DialogTitle } from "@/components/ui/dialog";
import { graphql } from "@/lib/graphql.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { SessionState } from "@/sessions/session-state.tsx";
import { setTheme, THEMES } from "@/theme/theme.ts";
import { THEME_ICONS } from "@/theme/theme-menu.tsx";

const PaletteSessions = graphql(`
  query PaletteSessions($search: String) {
    findSessions(search: $search, first: 8) {
      nodes {
        id
        ref
        title
        state
      }
    }
  }
`);

export default function CommandPalette(props: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const navigate = useNavigate();
  const [words, setWords] = useState("");
  const search = useDeferredValue(words.trim());
  const [{ data }] = useQuery({
    query: PaletteSessions,
    variables: { search: search || null },
    requestPolicy: "cache-and-network",
  });
  const sessions = data?.findSessions?.nodes ?? [];
  const best = sessions[0]?.id ?? "";
  const [selected, setSelected] = useState(best);
  useEffect(() => setSelected(best), [best]);

  const actions = [
    { name: "All sessions", icon: List, run: () => navigate({ to: "/" }) },
    { name: "Settings", icon: Settings, run: () => navigate({ to: "/settings" }) },
    ...THEMES.map((theme) => ({ name: `Theme: ${theme}`, icon: THEME_ICONS[theme], run: () => setTheme(theme) })),
  ].filter(({ name }) => name.toLowerCase().includes(search.toLowerCase()));

  const closeAnd = (run: () => void) => () => {
    props.onOpenChange(false);
    run();
  };

  return (
    <Dialog {...props}>
      <DialogContent showCloseButton={false} className="top-[12%] translate-y-0 overflow-hidden p-0">
        <DialogTitle className="sr-only">Go to</DialogTitle>
        <DialogDescription className="sr-only">Type to find a session, a page or a theme</DialogDescription>
        {/* The server has searched: what it found is shown as it is. */}
        <Command shouldFilter={false} value={selected} onValueChange={setSelected}>
          <CommandInput autoFocus value={words} onValueChange={setWords} placeholder="Find a session, or a command…" />
          <CommandList className="max-h-[60dvh] p-1">
            <CommandEmpty>Nothing found.</CommandEmpty>
            {sessions.length > 0 && (
              <CommandGroup heading="Sessions">
                {sessions.map(({ id, ref, title, state }) => (
                  <CommandItem
                    key={id}
                    value={id}
                    onSelect={closeAnd(() => navigate({ to: "/s/$ref", params: { ref } }))}
                  >
                    <bdi className="truncate">{visibleName(title)}</bdi>
                    <span className="hidden shrink-0 font-mono text-xs text-muted-foreground sm:inline">{ref}</span>
                    <SessionState state={state} className="ml-auto" />
                  </CommandItem>
                ))}
              </CommandGroup>
            )}
            {actions.length > 0 && (
              <CommandGroup heading="Commands">
                {actions.map(({ name, icon: Icon, run }) => (
                  <CommandItem key={name} value={name} onSelect={closeAnd(run)}>
                    <Icon aria-hidden /> {name}
                  </CommandItem>
                ))}
              </CommandGroup>
            )}
          </CommandList>
        </Command>
      </DialogContent>
    </Dialog>
  );
}
