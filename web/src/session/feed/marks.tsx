import { visible } from "../markdown/visible.ts";
import type { Message } from "../queries.ts";
import { useRoster } from "../store/session-provider.tsx";
import { nameOf } from "../team-name.ts";
import { KindLabel } from "./kinds.tsx";
import { WaitingFor } from "./waiting-for.tsx";

const MOST_NAMES = 3;

export const isPlain = ({ kind, addressedTo, expectsReply }: Message) =>
  kind === "message" && !addressedTo?.length && !expectsReply;

/** What the author said about the message: its kind, who is meant, and whether an answer is still missing. */
export function Marks({ message, open }: { message: Message; open: boolean }) {
  const { kind, addressedTo } = message;
  const handles = (addressedTo ?? []).map((handle) => handle ?? "");
  const names = useRoster((roster) => handles.map((handle) => nameOf(handle, roster)));
  const more = names.length - MOST_NAMES;
  return (
    <>
      {kind === "message" ? null : <KindLabel kind={kind} />}
      {names.length > 0 ? (
        <span className="min-w-0 truncate text-xs text-muted-foreground" title={`To ${visible(handles.join(", "))}`}>
          <span aria-hidden="true">→ </span>
          <span className="sr-only">to </span>
          {names.slice(0, MOST_NAMES).join(", ")}
          {more > 0 ? ` +${more}` : ""}
        </span>
      ) : null}
      {open ? <WaitingFor since={message.postedAt} /> : null}
    </>
  );
}
