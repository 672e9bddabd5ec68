import { ShieldQuestion } from "lucide-react";
import { useState } from "react";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import { call, type Refusal } from "@/lib/call.ts";
import { relativeTime, useNow } from "@/lib/time.ts";
import { type PermissionOption, permissionWords } from "@/needs/permission-words.ts";
import { NameInput, useIntroduction } from "@/people/introduction.tsx";
import { visible, visibleName } from "../markdown/visible.ts";
import { AnswerPermission, type Permission } from "./queries.ts";

interface PermissionCardProps {
  sessionId: string;
  handle: string;
  permission: Permission;
  mayAnswer: boolean;
  /** Who asks, where that is not said around it; what goes into the tool is folded away then. */
  name?: string;
}

/** What an agent asks to be allowed: the tool, what goes into it, and the answers. */
export function PermissionCard({ sessionId, handle, permission, mayAnswer, name }: PermissionCardProps) {
  const now = useNow(10_000);
  const introduction = useIntroduction();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const { request, tool, input, expiresAt } = permission;
  const answer = async (option: string) => {
    setBusy(true);
    const refused = await introduction.say();
    setRefusal(refused ?? (await call(AnswerPermission, { id: sessionId, handle, request, option })).refusal);
    setBusy(false);
  };
  return (
    <section
      aria-label={`${handle} asks for permission`}
      className="mt-2 flex min-w-0 flex-col gap-2 rounded-md border border-idle/50 bg-highlight/40 p-2.5"
    >
      <h4 className="flex min-w-0 items-center gap-1.5 text-sm font-medium">
        <ShieldQuestion aria-hidden className="size-4 shrink-0" />
        <span className="min-w-0 break-words">
          {name ? (
            <>
              <bdi>{name}</bdi> <span className="font-normal text-muted-foreground">wants to</span>{" "}
            </>
          ) : null}
          <bdi>{visibleName(tool)}</bdi>
        </span>
      </h4>
      {input == null ? null : name ? (
        <details className="text-xs">
          <summary className="cursor-pointer text-muted-foreground">With what</summary>
          <Input input={input} />
        </details>
      ) : (
        <Input input={input} />
      )}
      <div className="flex flex-wrap items-center gap-2">
        {mayAnswer ? (
          <>
            <NameInput introduction={introduction} className="h-8 max-w-44" />
            {(permission.options as PermissionOption[]).map((choice) => (
              <Button
                key={choice.option}
                size="sm"
                variant="outline"
                disabled={busy}
                onClick={() => answer(choice.option)}
              >
                {permissionWords(choice)}
              </Button>
            ))}
          </>
        ) : null}
        <p className="text-xs text-muted-foreground">
          Refused {relativeTime(expiresAt, now)}, unless somebody answers.
        </p>
      </div>
      <Refused refusal={refusal} />
    </section>
  );
}

const Input = ({ input }: { input: unknown }) => (
  <pre className="max-h-40 overflow-auto rounded bg-muted p-2 font-mono text-xs break-words whitespace-pre-wrap">
    {visible(typeof input === "string" ? input : JSON.stringify(input, null, 2))}
  </pre>
);
