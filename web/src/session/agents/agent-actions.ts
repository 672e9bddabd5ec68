import { Bot, CircleStop, Hand, MessageSquareMore } from "lucide-react";
import { call } from "@/lib/call.ts";
import type { Runner } from "@/runners/queries.ts";
import type { Action } from "../actions/action.ts";
import { visibleName } from "../markdown/visible.ts";
import { InterruptAgent, PromptAgent, SpawnAgent, StopAgent } from "./queries.ts";

const NO_WORKTREE = "-";

/** Where it can run: an agent on a machine. */
const placeOf = (runner: string, agent: string) => JSON.stringify([runner, agent]);

export function startAgent(id: string, runners: readonly Runner[]): Action {
  const places = runners.flatMap(({ runner, agents }) =>
    agents.flatMap((agent) =>
      agent ? [[placeOf(runner, agent), `${visibleName(agent)} on ${visibleName(runner)}`]] : [],
    ),
  );
  const repos = [...new Set(runners.flatMap(({ repos }) => repos.filter((repo) => repo !== null)))];
  const trees = repos.map((repo) => [repo, `Its own, of ${visibleName(repo)}`]);
  return {
    id: "start-agent",
    label: "Start an agent",
    icon: Bot,
    title: "Start an agent?",
    about: "It joins this session as a team of its own, with your words as its first prompt.",
    verb: "Start",
    asks: [
      { name: "agent", label: "Agent", required: true, choices: Object.fromEntries(places) },
      { name: "prompt", label: "Prompt", long: true, required: true },
      {
        name: "worktree",
        label: "Worktree",
        choices: { [NO_WORKTREE]: "None: where its runner puts it", ...Object.fromEntries(trees) },
      },
      { name: "team_name", label: "Name of the team" },
    ],
    run: ({ agent: place = "[]", prompt = "", worktree, team_name }) => {
      const [runner = null, agent = ""] = JSON.parse(place) as string[];
      const tree = worktree === NO_WORKTREE ? null : worktree;
      return call(SpawnAgent, { id, runner, agent, prompt, worktree: tree ?? null, name: team_name || null });
    },
  };
}

export const promptAgent = (id: string, handle: string, name: string): Action => ({
  id: "prompt-agent",
  label: "Prompt",
  icon: MessageSquareMore,
  title: `Prompt ${name}?`,
  about:
    "It gets a turn with your words, after those that wait already. The feed does not show them; its transcript does.",
  verb: "Prompt",
  asks: [{ name: "prompt", label: "Prompt", long: true, required: true }],
  run: ({ prompt = "" }) => call(PromptAgent, { id, handle, prompt }),
});

export const interruptAgent = (id: string, handle: string, name: string): Action => ({
  id: "interrupt-agent",
  label: "Interrupt",
  icon: Hand,
  title: `Interrupt ${name}?`,
  about: "The turn that it is in is cancelled. It stays, and goes on when it is spoken to.",
  verb: "Interrupt",
  asks: [],
  run: () => call(InterruptAgent, { id, handle }),
});

export const stopAgent = (id: string, handle: string, name: string): Action => ({
  id: "stop-agent",
  label: "Stop",
  icon: CircleStop,
  title: `Stop ${name}?`,
  about: "Its process ends and its team leaves. Its worktree and its transcript stay.",
  verb: "Stop",
  destructive: true,
  asks: [],
  run: () => call(StopAgent, { id, handle }),
});
