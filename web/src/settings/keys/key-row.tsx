import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useMutation } from "urql";
import { ConfirmDialog } from "@/components/confirm-dialog.tsx";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Badge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { messageOf } from "@/lib/errors.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { type KeyData, RevokeKey } from "./queries.ts";

/** Without a way to revoke it, one that has ended. */
export function KeyRow({ data, onRevoked }: { data: KeyData; onRevoked?: () => void }) {
  const { key, name, scopes, session, createdAt, createdBy, expiresAt, lastUsedAt, revokedAt } = data;
  const [, revoke] = useMutation(RevokeKey);
  const [asking, setAsking] = useState(false);
  const shown = visibleName(name);
  const confirm = async () => {
    const { error } = await revoke({ key });
    if (error) return messageOf(error);
    onRevoked?.();
  };
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 px-4 py-3">
      <div className="flex min-w-0 flex-1 basis-64 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <bdi className="text-sm font-medium break-words">{shown}</bdi>
          <code className="font-mono text-xs text-muted-foreground">{key}…</code>
          {scopes.map((scope) => (
            <Badge key={scope} variant={scope === "admin" ? "default" : "secondary"}>
              {scope}
            </Badge>
          ))}
        </div>
        <p className="flex flex-wrap gap-x-3 text-xs text-muted-foreground">
          {session && (
            <span>
              only{" "}
              <Link to="/s/$ref" params={{ ref: session }} className="text-foreground underline underline-offset-2">
                {session}
              </Link>
            </span>
          )}
          <span>
            {lastUsedAt ? (
              <>
                used <RelativeTime at={lastUsedAt} />
              </>
            ) : (
              "never used"
            )}
          </span>
          <span>
            made by <bdi>{visibleName(createdBy)}</bdi> <RelativeTime at={createdAt} />
          </span>
          {revokedAt ? (
            <span>
              revoked <RelativeTime at={revokedAt} />
            </span>
          ) : expiresAt ? (
            <span>
              {onRevoked ? "ends" : "ended"} <RelativeTime at={expiresAt} />
            </span>
          ) : (
            <span>never ends</span>
          )}
        </p>
      </div>
      {onRevoked && (
        <Button variant="outline" size="sm" aria-label={`Revoke ${shown}`} onClick={() => setAsking(true)}>
          Revoke
        </Button>
      )}
      {asking && (
        <ConfirmDialog
          title={`Revoke ${shown}?`}
          about={
            <>
              Whoever uses <code className="font-mono">{key}…</code> is out at once, and so is every team that came by
              it. This cannot be undone.
            </>
          }
          verb="Revoke"
          onConfirm={confirm}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  );
}
