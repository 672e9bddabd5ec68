interface Words {
  label: string;
  /** Under which heading of its group it stands. */
  part?: string;
  unit?: string;
}

/** The groups of the page, in their order. One that the page does not know yet comes last, by its own name. */
export const GROUPS: Record<string, { title: string; about: string; folded?: boolean }> = {
  people: { title: "People", about: "Who comes in, as what, and how long agents wait for them." },
  keys: { title: "Keys", about: "What agents and programs open this server with." },
  rules: { title: "Rules", about: "What teams may do, and when agents that go in circles are stopped." },
  limits: { title: "Limits", about: "How long, how large, how many. Few servers need others.", folded: true },
  data: { title: "Data", about: "What is kept, and for how long." },
};

const [SESSIONS, TALK, WORK, RUNS] = ["Sessions", "Conversation", "Work", "Runs of agents"];
const [TEXTS, PAGES, TIME, TRANSCRIPTS] = ["Texts", "Pages", "Presence and waiting", "Transcripts"];
const [CHARACTERS, BYTES, SECONDS, DOLLARS] = ["characters", "bytes", "seconds", "US dollars"];

/** What people call a setting; a setting of which nothing stands here goes by its own name. */
const WORDS: Record<string, Words> = {
  names_per_hour: { label: "New names per hour" },
  oidc_role: { label: "Role of somebody new" },
  permission_timeout: { label: "An unanswered permission is refused after", unit: SECONDS },
  keys_per_hour: { label: "New keys per hour" },
  capacity: { label: "Teams in one session", part: SESSIONS },
  sessions_per_hour: { label: "New sessions per hour", part: SESSIONS },
  single_session: { label: "One session at a time", part: SESSIONS },
  convener_only: { label: "Only the convener concludes and renames", part: SESSIONS },
  metadata_interval: { label: "Pause between two changes of the title", part: SESSIONS, unit: SECONDS },
  posts_per_minute: { label: "Messages per minute and team", part: TALK },
  hops: { label: "Answers to answers", part: TALK },
  loop_guard: { label: "Messages while nothing moves", part: TALK },
  verified_only: { label: "Only verified tasks free others", part: WORK },
  run_turns: { label: "Turns of one run", part: RUNS },
  run_tokens: { label: "Tokens of one run", part: RUNS },
  run_cost: { label: "Cost of one run", part: RUNS, unit: DOLLARS },
  session_turns: { label: "Turns of all runs of a session", part: RUNS },
  session_tokens: { label: "Tokens of all runs of a session", part: RUNS },
  session_cost: { label: "Cost of all runs of a session", part: RUNS, unit: DOLLARS },
  title_max: { label: "Title", part: TEXTS, unit: CHARACTERS },
  description_max: { label: "Description", part: TEXTS, unit: CHARACTERS },
  team_name_max: { label: "Name of a team", part: TEXTS, unit: CHARACTERS },
  message_max: { label: "Message", part: TEXTS, unit: CHARACTERS },
  list_text_max: { label: "Message in a list", part: TEXTS, unit: CHARACTERS },
  metadata_max: { label: "Metadata of a message", part: TEXTS, unit: CHARACTERS },
  reason_max: { label: "Reason for a change", part: TEXTS, unit: CHARACTERS },
  append_max: { label: "Appended text", part: TEXTS, unit: CHARACTERS },
  summary_max: { label: "Summary of a conclusion", part: TEXTS, unit: CHARACTERS },
  doc_max_bytes: { label: "Document", part: TEXTS, unit: BYTES },
  wait_page: { label: "Messages that a wait hands over", part: PAGES },
  page_max_bytes: { label: "Page of messages", part: PAGES, unit: BYTES },
  outbox_max: { label: "Messages that one sync posts", part: PAGES },
  patterns_per_team: { label: "Patterns that a team holds", part: WORK },
  patterns_per_session: { label: "Patterns held in one session", part: WORK },
  digest_items: { label: "Entries of a list in a digest", part: PAGES },
  wait_max_seconds: { label: "Longest wait", part: TIME, unit: SECONDS },
  idle_polls: { label: "Empty waits until a session is idle", part: TIME },
  presence_active_seconds: { label: "Active after a call", part: TIME, unit: SECONDS },
  presence_idle_seconds: { label: "Idle after a call", part: TIME, unit: SECONDS },
  working_seconds: { label: "Working after a call", part: TIME, unit: SECONDS },
  live_seconds: { label: "Live after a call", part: TIME, unit: SECONDS },
  claim_grace: { label: "Claims outlive their team by", part: TIME, unit: SECONDS },
  run_lease: { label: "A silent run is lost after", part: TIME, unit: SECONDS },
  transcript_events: { label: "Events of one run", part: TRANSCRIPTS },
  transcript_bytes: { label: "Whole texts of one run", part: TRANSCRIPTS, unit: BYTES },
  delete_closed_after: { label: "Delete concluded sessions after", unit: "days" },
};

const inWords = (name: string) => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const wordsFor = (name: string): Words => WORDS[name] ?? { label: inWords(name) };

/** In the order in which they stand above; strangers last. */
export function inOrder<T extends { name: string }>(settings: T[]): T[] {
  const known = Object.keys(WORDS);
  const place = ({ name }: T) => (known.includes(name) ? known.indexOf(name) : known.length);
  return [...settings].sort((a, b) => place(a) - place(b));
}
