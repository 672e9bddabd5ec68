import { ShieldQuestion } from "lucide-react";
import { relativeTime, useNow } from "@/lib/time.ts";
import { PermissionAnswers } from "@/needs/permission-answers.tsx";
import type { PermissionOption } from "@/needs/permission-words.ts";
import { visible, visibleName } from "../markdown/visible.ts";
import type { Permission } from "./queries.ts";

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
  const { request, tool, input, expiresAt } = permission;
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
              <bdi>{name}</bdi> <span className="font-normal text-muted-foreground">asks to be allowed:</span>{" "}
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
      {mayAnswer ? (
        <PermissionAnswers
          sessionId={sessionId}
          handle={handle}
          request={request}
          options={permission.options as PermissionOption[]}
        />
      ) : null}
      <p className="text-xs text-muted-foreground">Refused {relativeTime(expiresAt, now)}, unless somebody answers.</p>
    </section>
  );
}

const Input = ({ input }: { input: unknown }) => (
  <pre className="max-h-40 overflow-auto rounded bg-muted p-2 font-mono text-xs break-words whitespace-pre-wrap">
    {visible(inputText(input))}
  </pre>
);

/** A line for each of its fields, as a person would write it down; what is deeper stays the JSON that it is. */
function inputText(input: unknown): string {
  if (typeof input === "string") return input;
  if (input === null || typeof input !== "object" || Array.isArray(input)) return JSON.stringify(input, null, 2);
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value, null, 2)}`)
    .join("\n");
}
