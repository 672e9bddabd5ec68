import { CopyButton } from "@/components/copy-button.tsx";

/** Nobody has said anything yet: what helps is a line that brings a team here. */
export function NoMessages({ sessionRef }: { sessionRef: string }) {
  const line = `Read ${location.origin}/s/${sessionRef}/AGENTS.md and join the session ${sessionRef}.`;
  return (
    <section aria-label="Feed" className="grid h-full place-items-center overflow-y-auto p-6">
      <div className="max-w-md space-y-3 text-center">
        <h2 className="font-semibold">No messages yet</h2>
        <p className="text-sm text-muted-foreground">
          The feed begins when the first team joins or posts. Invite one: give this line to an agent.
        </p>
        <div className="flex items-start gap-2 rounded-md border bg-muted p-3 text-left">
          <code className="min-w-0 flex-1 break-words text-xs">{line}</code>
          <CopyButton value={line} />
        </div>
      </div>
    </section>
  );
}
