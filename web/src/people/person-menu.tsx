import { Link, useNavigate } from "@tanstack/react-router";
import { KeyRound, LogOut, UserRound, UsersRound } from "lucide-react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import { visibleName } from "@/session/markdown/visible.ts";
import { type AuthError, auth, enter, here } from "./auth.ts";
import { useIsAdmin, useMe } from "./me.ts";

/** Who is looking at this page, and the way out. */
export function PersonMenu() {
  const me = useMe();
  if (!me) return null;
  if (me.person) return <Menu {...me.person} />;
  if (me.access === "keys") return null;
  return (
    <Button asChild variant="ghost" size="sm" className="text-muted-foreground">
      <Link to="/sign-in" search={{ to: here() }}>
        <UserRound aria-hidden />
        <span className="sr-only sm:not-sr-only">Say who you are</span>
      </Link>
    </Button>
  );
}

function Menu({ name, role, email, by }: { name: string; role: string; email: string | null; by: string }) {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const shown = visibleName(name);
  return (
    <DropdownMenu modal={false}>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="sm" aria-label={`You are ${shown}`}>
          <UserRound aria-hidden />
          <bdi className="hidden max-w-32 truncate sm:inline">{shown}</bdi>
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" className="min-w-52">
        <DropdownMenuLabel className="flex flex-col gap-0.5">
          <bdi className="truncate">{shown}</bdi>
          <span className="truncate text-xs font-normal text-muted-foreground">{email ?? role}</span>
        </DropdownMenuLabel>
        <DropdownMenuSeparator />
        {by === "name" && (
          <DropdownMenuItem onSelect={() => navigate({ to: "/sign-in", search: { to: here() } })}>
            <UserRound aria-hidden /> Change your name
          </DropdownMenuItem>
        )}
        {isAdmin && (
          <>
            <DropdownMenuItem onSelect={() => navigate({ to: "/settings/people" })}>
              <UsersRound aria-hidden /> People
            </DropdownMenuItem>
            <DropdownMenuItem onSelect={() => navigate({ to: "/settings/keys" })}>
              <KeyRound aria-hidden /> Access keys
            </DropdownMenuItem>
            <DropdownMenuSeparator />
          </>
        )}
        <DropdownMenuItem onSelect={() => leave("/sign-out")}>
          <LogOut aria-hidden /> Sign out
        </DropdownMenuItem>
        <DropdownMenuItem onSelect={() => leave("/sign-out-everywhere")}>
          <LogOut aria-hidden /> Sign out everywhere
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

const leave = (path: string) =>
  auth(path, {}).then(
    () => enter("/"),
    (refusal: AuthError) => toast.error(refusal.whole),
  );
