import { RotateCw } from "lucide-react";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import { visible } from "../markdown/visible.ts";
import type { PendingMessage } from "../store/pending.ts";
import { useSessionStore } from "../store/session-provider.tsx";
import { send } from "./outbox.ts";

interface PendingWordsProps {
  pending: readonly PendingMessage[];
  /** Takes the words back to where they were written. */
  onEdit: (pending: PendingMessage) => void;
}

/** What was said and is not in the feed: on its way, or not sent, and then why. */
export function PendingWords({ pending, onEdit }: PendingWordsProps) {
  const store = useSessionStore();
  if (pending.length === 0) return null;
  return (
    <ul aria-label="Not in the feed yet" className="mb-2 flex max-h-60 flex-col gap-1.5 overflow-y-auto">
      {pending.map((words) => (
        <li
          key={words.key}
          className={`rounded-md border px-3 py-2 text-sm ${words.failed ? "border-destructive/40" : "bg-muted"}`}
        >
          <p className="line-clamp-3 break-words whitespace-pre-wrap">{visible(words.text)}</p>
          {words.failed ? (
            <div className="mt-1.5 flex flex-wrap items-center gap-1">
              <Refused refusal={words.failed} className="mr-auto" />
              <Button size="sm" variant="outline" className="h-7" onClick={() => send(store, words, words.key)}>
                <RotateCw aria-hidden /> Try again
              </Button>
              <Button size="sm" variant="ghost" className="h-7" onClick={() => onEdit(words)}>
                Edit
              </Button>
              <Button size="sm" variant="ghost" className="h-7" onClick={() => store.drop(words.key)}>
                Discard
              </Button>
            </div>
          ) : (
            <p role="status" className="text-xs text-muted-foreground">
              sending …
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
