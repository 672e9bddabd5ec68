import { toast } from "sonner";
import { useMutation } from "urql";
import { RelativeTime } from "@/components/relative-time.tsx";
import { Button } from "@/components/ui/button";
import { messageOf } from "@/lib/errors.ts";
import { visibleName } from "@/session/markdown/visible.ts";
import { ChangeRole, type PersonData } from "./queries.ts";

/** Somebody who was removed may come back, as what they were. */
export function RemovedRow({
  data: { person, name, role, removedAt },
  onChanged,
}: {
  data: PersonData;
  onChanged: () => void;
}) {
  const [{ fetching }, change] = useMutation(ChangeRole);
  const bringBack = async () => {
    const { error } = await change({ person, role });
    if (error) toast.error(messageOf(error));
    else onChanged();
  };
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 px-4 py-3">
      <p className="text-sm">
        <bdi>{visibleName(name)}</bdi>{" "}
        <span className="text-xs text-muted-foreground">
          was {role}, removed <RelativeTime at={removedAt ?? ""} />
        </span>
      </p>
      <Button
        variant="outline"
        size="sm"
        disabled={fetching}
        onClick={bringBack}
        aria-label={`Bring ${visibleName(name)} back`}
      >
        Bring back
      </Button>
    </li>
  );
}
