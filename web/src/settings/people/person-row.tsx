import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { toast } from "sonner";
import { type CombinedError, useMutation } from "urql";
import { Choice } from "@/components/choice.tsx";
import { ConfirmDialog } from "@/components/confirm-dialog.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import { hintOf, messageOf } from "@/lib/errors.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { ROLES } from "./invite.tsx";
import type { Invited } from "./link-made.tsx";
import { ChangeRole, InvitePerson, type PersonData, RemovePerson, SignOutPerson } from "./queries.ts";

interface PersonRowProps {
  data: PersonData;
  onChanged: () => void;
  onInvited: (invited: Invited) => void;
}

export function PersonRow({ data, onChanged, onInvited }: PersonRowProps) {
  const { person, name, role, email, you } = data;
  const [, change] = useMutation(ChangeRole);
  const [, invite] = useMutation(InvitePerson);
  const [, signOut] = useMutation(SignOutPerson);
  const [, remove] = useMutation(RemovePerson);
  const [asking, setAsking] = useState<"sign out" | "remove">();
  const shown = visibleName(name);
  const done = ({ error }: { error?: CombinedError | undefined }) => {
    if (error) return wordsOf(error);
    onChanged();
  };
  const changeRole = async (next: string) => {
    const failure = done(await change({ person, role: next }));
    if (failure) toast.error(failure);
  };
  const makeLink = async () => {
    const { data: made, error } = await invite({ person });
    const link = made?.invitePerson?.result?.link;
    if (link) onInvited({ link, name });
    else if (error) toast.error(wordsOf(error));
  };
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-3 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-56 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <bdi className="text-sm font-medium break-words">{shown}</bdi>
          {you && <Badge variant="secondary">you</Badge>}
          {email && <span className="text-xs break-all text-muted-foreground">{email}</span>}
        </div>
        <Browsers data={data} />
      </div>
      <div className="flex items-center gap-2">
        <Choice label={`Role of ${shown}`} value={role} choices={ROLES} onChange={changeRole} className="w-28" />
        <DropdownMenu modal={false}>
          <DropdownMenuTrigger asChild>
            <Button variant="outline" size="icon-sm" aria-label={`More about ${shown}`}>
              <Ellipsis aria-hidden />
            </Button>
          </DropdownMenuTrigger>
          <DropdownMenuContent align="end">
            <DropdownMenuItem onSelect={makeLink}>Link for another browser</DropdownMenuItem>
            <DropdownMenuItem disabled={data.browsers.length === 0} onSelect={() => setAsking("sign out")}>
              Sign out everywhere…
            </DropdownMenuItem>
            <DropdownMenuItem variant="destructive" onSelect={() => setAsking("remove")}>
              Remove…
            </DropdownMenuItem>
          </DropdownMenuContent>
        </DropdownMenu>
      </div>
      {asking === "sign out" && (
        <ConfirmDialog
          title={`Sign ${shown} out?`}
          about="In every browser. They need a new link, or their provider, to come back."
          verb="Sign out"
          onConfirm={async () => done(await signOut({ person }))}
          onClose={() => setAsking(undefined)}
        />
      )}
      {asking === "remove" && (
        <ConfirmDialog
          title={`Remove ${shown}?`}
          about="They are signed out, and their teams end at once. Keys that they made stay: revoke those that should not."
          verb="Remove"
          onConfirm={async () => done(await remove({ person }))}
          onClose={() => setAsking(undefined)}
        />
      )}
    </li>
  );
}

const wordsOf = (error: CombinedError) => [messageOf(error), hintOf(error)].filter(Boolean).join(" ");

function Browsers({ data: { browsers, createdAt } }: { data: PersonData }) {
  const [last] = browsers;
  return (
    <p className="text-xs text-muted-foreground">
      {last ? (
        <>
          {browsers.length === 1 ? "1 browser" : `${browsers.length} browsers`}, last used{" "}
          <RelativeTime at={last.lastUsedAt} />
        </>
      ) : (
        "not signed in"
      )}{" "}
      · came <RelativeTime at={createdAt} />
    </p>
  );
}
