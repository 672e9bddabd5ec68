import { Button } from "@/components/ui/button";
import { sessionsRoute } from "@/router.tsx";

export function NoMatch() {
  const { q, status, archived } = sessionsRoute.useSearch();
  const navigate = sessionsRoute.useNavigate();
  const which = { active: "active ", closed: "concluded ", all: "" }[status ?? "all"];
  return (
    <div className="flex flex-col items-center gap-3 rounded-lg border border-dashed px-4 py-12 text-center text-sm">
      <p className="break-words text-muted-foreground">
        {archived ? "Nothing is put away" : `No ${which}session`}
        {q ? ` has “${q}” in its title, description or ref` : archived ? "" : " yet"}.
      </p>
      <Button variant="outline" size="sm" onClick={() => navigate({ search: {} })}>
        Show all sessions
      </Button>
    </div>
  );
}
