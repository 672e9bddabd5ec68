import { Fragment } from "react";
import { useShow } from "../use-show.ts";
import { JumpLink } from "./jump-link.tsx";

const NUMBERED = /(\btask \d{1,6}\b|#\d{1,9}\b)/g;

/** A sentence of the server, in which numbers of tasks and messages lead to them. */
export function WithLinks({ text }: { text: string }) {
  const show = useShow();
  return text.split(NUMBERED).map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence stay in their places
    if (index % 2 === 0) return <Fragment key={index}>{part}</Fragment>;
    const number = Number(/\d+/.exec(part)?.[0]);
    return part.startsWith("#") ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <JumpLink key={index} to={number} className="underline decoration-border underline-offset-2">
        {part}
      </JumpLink>
    ) : (
      <button
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        key={index}
        type="button"
        className="rounded-sm underline decoration-border underline-offset-2 hover:text-foreground"
        onClick={() => show({ tab: "work", task: number })}
      >
        {part}
      </button>
    );
  });
}
