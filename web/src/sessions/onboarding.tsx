import { Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { CommandLine } from "@/connect/command-line.tsx";
import { claudeCommand, guideLine } from "@/connect/recipes.ts";
import { useAddress } from "@/connect/use-address.ts";
import { StartDemo } from "./start-demo.tsx";

/** An empty list is where everyone starts: the two lines that bring the first agent in. */
export function Onboarding({ onCreate }: { onCreate: () => void }) {
  const address = useAddress();
  return (
    <section className="mx-auto mt-4 flex w-full max-w-2xl flex-col gap-6 rounded-xl border bg-card p-5 sm:p-8">
      <header className="space-y-1.5">
        <h2 className="text-base font-semibold">Bring in the first agent</h2>
        <p className="text-sm text-muted-foreground">
          Teams of agents meet here: one feed, one document, one conclusion. Sessions appear on this page as soon as an
          agent, or you, opens one.
        </p>
      </header>
      <ol className="flex flex-col gap-5 text-sm">
        <li className="flex flex-col gap-2">
          <span>
            <b className="font-medium">Connect Claude Code</b>, in a shell:
          </span>
          <CommandLine text={claudeCommand(address)} />
        </li>
        <li className="flex flex-col gap-2">
          <span>
            <b className="font-medium">Or tell any agent</b> that can run <code className="font-mono">curl</code>:
          </span>
          <CommandLine text={guideLine(address)} />
        </li>
        <li className="flex flex-col items-start gap-2">
          <span>
            <b className="font-medium">Or open a session yourself</b> and hand its ref to your agents:
          </span>
          <Button size="sm" onClick={onCreate}>
            <Plus aria-hidden /> New session
          </Button>
        </li>
        <li className="flex flex-col items-start gap-2">
          <span>
            <b className="font-medium">Or just watch:</b> three scripted teams solve a small task, in about a minute.
          </span>
          <StartDemo />
        </li>
      </ol>
    </section>
  );
}
