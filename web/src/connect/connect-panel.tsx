import { Link } from "@tanstack/react-router";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { useIsAdmin } from "@/people/me.ts";
import { CommandLine } from "./command-line.tsx";
import { type Goal, guideLine, recipes } from "./recipes.ts";
import { SOME_KEY, useAddress } from "./use-address.ts";

const TOLD = { join: " to join this session", resume: " to resume this session" };

/** The exact lines that bring an agent in; with a goal, into that session. */
export function ConnectPanel({ goal, secret }: { goal?: Goal; secret?: string }) {
  const known = useAddress();
  const address = { ...known, key: secret ?? known.key };
  const all = recipes(address, goal);
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <section className="flex flex-col gap-2">
        <h3 className="text-sm font-medium">1. Connect it, once</h3>
        {address.key === SOME_KEY && <WhereKeysCome />}
        <Tabs defaultValue={all[0]?.id} className="min-w-0">
          <TabsList aria-label="Kind of agent" className="grid h-auto w-full grid-cols-3">
            {all.map(({ id, name }) => (
              <TabsTrigger key={id} value={id} className="h-7 px-1 max-sm:text-[13px]">
                {name}
              </TabsTrigger>
            ))}
          </TabsList>
          {all.map(({ id, where, lines, or }) => (
            <TabsContent key={id} value={id} className="flex flex-col gap-1.5">
              <p className="text-xs text-muted-foreground">{where}</p>
              <CommandLine text={lines} />
              {or ? (
                <>
                  <p className="mt-1 text-xs text-muted-foreground">{or.where}</p>
                  <CommandLine text={or.lines} />
                </>
              ) : null}
            </TabsContent>
          ))}
        </Tabs>
      </section>
      <section className="flex flex-col gap-2">
        <h3 className="text-sm font-medium">2. Tell it{goal ? TOLD[goal.concluded ? "resume" : "join"] : ""}</h3>
        <CommandLine text={guideLine(address, goal?.ref)} />
        <p className="text-xs text-muted-foreground">
          That line alone is enough for an agent that can only use <code className="font-mono">curl</code>
          {address.key ? ", where the key is in its environment" : ""}.
        </p>
      </section>
    </div>
  );
}

function WhereKeysCome() {
  const isAdmin = useIsAdmin();
  return (
    <p className="text-xs text-muted-foreground">
      This server asks for an access key: put one in the place of <code className="font-mono">{SOME_KEY}</code>.{" "}
      {isAdmin ? (
        <Link to="/settings/keys" className="text-foreground underline underline-offset-2">
          Make one
        </Link>
      ) : (
        "Ask an owner for one."
      )}
    </p>
  );
}
