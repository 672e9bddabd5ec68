import {
  CircleCheckBig,
  CirclePause,
  CirclePlay,
  Eye,
  FilePenLine,
  Hand,
  Link,
  LockOpen,
  MessageCircleQuestion,
  Pencil,
  PencilOff,
  Trash2,
  UserRoundX,
} from "lucide-react";
import { call } from "@/lib/call.ts";
import { visibleName } from "../markdown/visible.ts";
import type { Participant, SessionHead } from "../queries.ts";
import { nameOfTeam } from "../team-name.ts";
import type { Action, Asked } from "./action.ts";
import {
  AskTeams,
  ConcludeSession,
  CreateInvite,
  DeleteSession,
  InterruptTeam,
  PauseSession,
  RemoveTeam,
  UnpauseSession,
  UpdateAccess,
  UpdateMetadata,
} from "./verbs.ts";

const REASON: Asked = { name: "reason", label: "Reason", hint: "Everyone reads it in the feed." };
const WHY: Asked = { ...REASON, required: true };

const LAST_CALL =
  "Is anything left before we conclude? If so, say what; if not, write what is worth keeping into the document.";

const LASTS = { "12h": "12 hours", "7d": "7 days", "30d": "30 days" };
const USES = { "1": "once", "10": "10 times", "100": "100 times" };

/** What this person may do here now: what the server would refuse is not offered. */
export function sessionActions(head: SessionHead, roster: readonly Participant[]): Action[] {
  const { id, mode, visibility, pausedAt, you } = head;
  const open = head.status === "active";
  const others = roster.filter(({ handle, leftAt }) => !leftAt && handle !== you.handle);
  const team: Asked = {
    name: "handle",
    label: "Team",
    required: true,
    choices: Object.fromEntries(others.map((one) => [one.handle, nameOfTeam(one, roster)])),
  };
  const leads = you.mayLead === true;
  const writes = you.mayWrite === true;

  const offered: [boolean, Action][] = [
    [
      open && leads && !pausedAt,
      {
        id: "pause",
        label: "Pause the agents",
        icon: CirclePause,
        title: "Pause the agents?",
        about: "Until it goes on they read and wait, and write nothing. People may write.",
        verb: "Pause",
        asks: [REASON],
        run: ({ reason }) => call(PauseSession, { id, reason: reason || null }),
      },
    ],
    [
      open && leads && Boolean(pausedAt),
      {
        id: "unpause",
        label: "Let the agents go on",
        icon: CirclePlay,
        title: "Let the agents go on?",
        about: "Whoever waits is told at once, and may write again.",
        verb: "Go on",
        asks: [],
        run: () => call(UnpauseSession, { id }),
      },
    ],
    [
      open && writes && others.length > 0,
      {
        id: "interrupt",
        label: "Interrupt a team",
        icon: Hand,
        title: "Interrupt a team?",
        about: "Its wait ends at once, and its next answer tells it that you want it to stop, and why.",
        verb: "Interrupt",
        asks: [team, WHY],
        run: ({ handle = "", reason = "" }) => call(InterruptTeam, { id, handle, reason }),
      },
    ],
    [
      leads && others.length > 0,
      {
        id: "remove",
        label: "Remove a team",
        icon: UserRoundX,
        title: "Remove a team?",
        about: "It can no longer read or write here, and what it had claimed is free. What it said stays.",
        verb: "Remove",
        destructive: true,
        asks: [team, REASON],
        run: ({ handle = "", reason }) => call(RemoveTeam, { id, handle, reason: reason || null }),
      },
    ],
    [
      open && writes,
      {
        id: "ask-to-conclude",
        label: "Ask to conclude",
        icon: MessageCircleQuestion,
        title: "Ask the teams to conclude?",
        about: "Your question goes to everyone, and stays open until somebody answers.",
        verb: "Ask",
        asks: [{ name: "content", label: "Question", long: true, required: true, initial: LAST_CALL }],
        run: ({ content }) => call(AskTeams, { id, text: content }),
      },
    ],
    [
      open && writes,
      {
        id: "conclude",
        label: "Conclude",
        icon: CircleCheckBig,
        title: "Conclude the session?",
        about:
          "It is closed for everyone, for good: nothing can be added to feed or document. Your summary becomes the document's conclusion, and whoever picks this up starts from it.",
        verb: "Conclude",
        destructive: true,
        asks: [
          {
            name: "summary_section",
            label: "Summary",
            hint: "What was done, what was decided, and what is left. Markdown.",
            long: true,
            required: true,
          },
          {
            name: "even_so",
            label: "Sessions that were spawned here are open",
            choices: { no: "Leave this one open", yes: "Conclude this one all the same" },
            initial: "no",
            after: "session_active",
          },
        ],
        run: ({ summary_section: summary = "", even_so }) =>
          call(ConcludeSession, { id, summary, evenSo: even_so === "yes" }),
      },
    ],
    [
      open && writes,
      {
        id: "rename",
        label: "Rename",
        icon: Pencil,
        title: "Rename the session?",
        about: "The ref stays, and so do all links to it.",
        verb: "Rename",
        asks: [{ name: "title", label: "Title", required: true, initial: head.title }, WHY],
        run: ({ title = "", reason = "" }) => call(UpdateMetadata, { id, title, description: null, reason }),
      },
    ],
    [
      open && writes,
      {
        id: "describe",
        label: "Edit the description",
        icon: FilePenLine,
        title: "Edit the description?",
        about: "Every agent reads it first, and those who are here are told that it has changed.",
        verb: "Save",
        asks: [{ name: "description", label: "Description", long: true, initial: head.description }, WHY],
        run: ({ description = "", reason = "" }) => call(UpdateMetadata, { id, title: null, description, reason }),
      },
    ],
    [
      open && leads,
      {
        id: "invite",
        label: "Invitation link",
        icon: Link,
        title: "Make an invitation link?",
        about: "Whoever opens it becomes a member of this session; an agent that has it joins as a guest.",
        verb: "Make the link",
        asks: [
          { name: "expires_in", label: "It lasts", choices: LASTS, initial: "7d" },
          { name: "uses", label: "It can be used", choices: USES, initial: "1" },
        ],
        run: async ({ expires_in, uses }) => {
          const { data, refusal } = await call(CreateInvite, { id, expiresIn: expires_in, uses: Number(uses) });
          const url = data?.createInvite?.result?.url;
          return { refusal, ...(url && { link: { url, about: "Hand it over now: it is shown once." } }) };
        },
      },
    ],
    [
      you.mayOwn === true,
      {
        id: "visibility",
        label: "Who sees it",
        icon: Eye,
        title: "Who sees this session?",
        about: "Whoever no longer sees it is let go at once, wherever they look at it.",
        verb: "Save",
        asks: [
          {
            name: "visibility",
            label: "It is seen by",
            choices: { everyone: "Everyone on this server", members: "Its members, its teams and owners" },
            initial: visibility,
          },
        ],
        run: ({ visibility: chosen }) => call(UpdateAccess, { id, visibility: chosen ?? null, mode: null }),
      },
    ],
    [
      you.mayOwn === true && mode === "intervention",
      {
        id: "read-only",
        label: "Let people only read",
        icon: PencilOff,
        title: "Let people only read?",
        about: "Agents go on; people no longer write, answer or pause here. Owners may still stop it.",
        verb: "Only read",
        asks: [],
        run: () => call(UpdateAccess, { id, visibility: null, mode: "read_only" }),
      },
    ],
    [
      you.mayOwn === true && mode === "read_only",
      {
        id: "intervention",
        label: "Let people write",
        icon: LockOpen,
        title: "Let people write?",
        about: "People may write, answer and pause here again.",
        verb: "Let them write",
        asks: [],
        run: () => call(UpdateAccess, { id, visibility: null, mode: "intervention" }),
      },
    ],
    [
      you.mayDelete === true,
      {
        id: "delete",
        label: "Delete",
        icon: Trash2,
        title: "Delete the session for good?",
        about: `“${visibleName(head.title)}”, its feed, its document and its teams are removed, for everyone. Nothing brings them back.`,
        verb: "Delete for good",
        destructive: true,
        asks: [{ name: "ref", label: `To be sure, type its ref: ${head.ref}`, required: true }],
        run: async ({ ref }) =>
          ref === head.ref
            ? call(DeleteSession, { id })
            : { refusal: { message: `That is not its ref, which is ${head.ref}.`, field: "ref" } },
      },
    ],
  ];
  return offered.filter(([may]) => may).map(([, action]) => action);
}
