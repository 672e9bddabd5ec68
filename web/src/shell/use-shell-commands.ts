import { useNavigate } from "@tanstack/react-router";
import { Cpu, Keyboard, KeyRound, List, ScrollText, Search, Settings, SquareKanban, Users } from "lucide-react";
import { useIsAdmin } from "@/people/me.ts";
import { setTheme, THEMES } from "@/theme/theme.ts";
import { THEME_ICONS } from "@/theme/theme-menu.tsx";
import { EVERYWHERE, useCommands } from "./commands.ts";

/** What can be done on every page. */
export function useShellCommands({ palette, shortcuts }: { palette: () => void; shortcuts: () => void }) {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const group = EVERYWHERE;
  const kept = [
    { id: "go.keys", title: "Keys", group, icon: KeyRound, run: () => navigate({ to: "/settings/keys" }) },
    { id: "go.people", title: "People", group, icon: Users, run: () => navigate({ to: "/settings/people" }) },
    { id: "go.audit", title: "Audit", group, icon: ScrollText, run: () => navigate({ to: "/settings/audit" }) },
  ];
  useCommands([
    { id: "palette", title: "Find anything", group, keys: "mod+k", icon: Search, keysOnly: true, run: palette },
    { id: "go.sessions", title: "All sessions", group, keys: "g s", icon: List, run: () => navigate({ to: "/" }) },
    {
      id: "go.boards",
      title: "Boards",
      group,
      keys: "g b",
      icon: SquareKanban,
      run: () => navigate({ to: "/boards" }),
    },
    {
      id: "go.settings",
      title: "Settings",
      group,
      keys: "g ,",
      icon: Settings,
      run: () => navigate({ to: "/settings" }),
    },
    ...(isAdmin ? kept : []),
    { id: "go.runners", title: "Runners", group, icon: Cpu, run: () => navigate({ to: "/runners" }) },
    { id: "shortcuts", title: "Keyboard shortcuts", group, keys: "?", icon: Keyboard, run: shortcuts },
    ...THEMES.map((theme) => ({
      id: `theme.${theme}`,
      title: `Theme: ${theme}`,
      group,
      icon: THEME_ICONS[theme],
      run: () => setTheme(theme),
    })),
  ]);
}
