import { useNavigate } from "@tanstack/react-router";
import { Cpu, Keyboard, List, Search, Settings, SquareKanban } from "lucide-react";
import { setTheme, THEMES } from "@/theme/theme.ts";
import { THEME_ICONS } from "@/theme/theme-menu.tsx";
import { EVERYWHERE, useCommands } from "./commands.ts";

/** What can be done on every page. */
export function useShellCommands({ palette, shortcuts }: { palette: () => void; shortcuts: () => void }) {
  const navigate = useNavigate();
  const group = EVERYWHERE;
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
