import { useNavigate } from "@tanstack/react-router";
import { FileText, MessageSquare } from "lucide-react";
import { useEffect, useState } from "react";
import { useQuery } from "urql";
import { RelativeTime } from "@/components/relative-time.tsx";
import { CommandGroup, CommandItem } from "@/components/ui/command";
import { graphql, type ResultOf } from "@/lib/graphql.ts";
import { jumpTo } from "@/session/jump.ts";
import { visibleName } from "@/session/markdown/visible.ts";

const TYPING_MS = 150;
/** Of less, everything is full. */
const SHORTEST = 3;

const FoundPlaces = graphql(`
  query FoundPlaces($search: String!) {
    searchEverywhere(search: $search) {
      nodes { id place ref title cursor teamName section snippet at }
    }
  }
`);

type Place = NonNullable<ResultOf<typeof FoundPlaces>["searchEverywhere"]>["nodes"][number];

/** Where these words were said or written, in any session; asked for when the typing rests. */
export function useFoundPlaces(search: string) {
  const [settled, setSettled] = useState(search);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(search), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const wanted = search.length >= SHORTEST;
  const [{ data, operation, fetching }] = useQuery({
    query: FoundPlaces,
    variables: { search: settled },
    pause: !wanted || settled.length < SHORTEST,
  });
  // What was found for a part of these words stays until there is something better; for other words it goes.
  const asked = operation?.variables.search ?? "";
  const fits = wanted && asked !== "" && (search.startsWith(asked) || asked.startsWith(search));
  const places = (fits && data?.searchEverywhere?.nodes) || [];
  return {
    messages: places.filter(({ place }) => place === "message"),
    docs: places.filter(({ place }) => place === "doc"),
    searching: wanted && (fetching || settled !== search),
  };
}

interface FoundGroupProps {
  heading: string;
  places: Place[];
  onChoose: (go: () => void) => () => void;
}

export function FoundGroup({ heading, places, onChoose }: FoundGroupProps) {
  const navigate = useNavigate();
  if (places.length === 0) return null;
  const go = ({ ref, cursor, section }: Place) => {
    if (cursor === null)
      return navigate({ to: "/s/$ref", params: { ref }, search: { tab: "doc", section: section ?? undefined } });
    // Where the session is open already, the address alone says where to look.
    if (location.pathname === `/s/${ref}`) return jumpTo(cursor);
    return navigate({ to: "/s/$ref", params: { ref }, hash: String(cursor) });
  };
  return (
    <CommandGroup heading={heading}>
      {places.map((place) => (
        <CommandItem key={place.id} value={place.id} className="items-start" onSelect={onChoose(() => void go(place))}>
          {place.place === "doc" ? (
            <FileText aria-hidden className="mt-0.5" />
          ) : (
            <MessageSquare aria-hidden className="mt-0.5" />
          )}
          <span className="min-w-0 flex-1">
            <span className="line-clamp-2 break-words">
              <Snippet parts={place.snippet} />
            </span>
            <span className="flex min-w-0 gap-1.5 text-xs text-muted-foreground">
              <bdi className="min-w-0 truncate">{visibleName(place.title)}</bdi>
              <span aria-hidden>·</span>
              <bdi className="min-w-0 shrink-0 max-w-[45%] truncate">
                {visibleName(place.section ?? place.teamName ?? "Document")}
              </bdi>
              {place.at ? <RelativeTime at={place.at} className="ml-auto shrink-0" /> : null}
            </span>
          </span>
        </CommandItem>
      ))}
    </CommandGroup>
  );
}

/** Text and found words in turns. */
function Snippet({ parts }: { parts: readonly (string | null)[] }) {
  let at = 0;
  return (
    <bdi>
      {parts.map((part, n) => {
        const text = visibleName(part ?? "");
        at += text.length;
        if (n % 2 === 0) return text;
        return (
          <mark key={at} className="rounded-xs bg-highlight text-foreground">
            {text}
          </mark>
        );
      })}
    </bdi>
  );
}
