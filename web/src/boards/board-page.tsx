import {
  type Announcements,
  DndContext,
  type DragEndEvent,
  DragOverlay,
  KeyboardSensor,
  PointerSensor,
  pointerWithin,
  rectIntersection,
  type UniqueIdentifier,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ErrorState } from "@/components/error-state.tsx";
import { Skeleton } from "@/components/ui/skeleton";
import { useDocumentTitle } from "@/lib/document-title.ts";
import { SignFirst, useSigning } from "@/people/introduction.tsx";
import { visibleName } from "@/session/markdown/visible.ts";
import { NotFound } from "@/shell/not-found.tsx";
import { AddSession } from "./add-session.tsx";
import { CardFace } from "./card.tsx";
import { toNextZone } from "./keyboard.ts";
import { useBoard } from "./use-board.ts";
import { Zone } from "./zone.tsx";

export default function BoardPage({ slug }: { slug: string }) {
  const { board, cards, error, read, place } = useBoard(slug);
  const [held, setHeld] = useState<UniqueIdentifier>();
  const signing = useSigning<{ id: string; zone: string }>();
  useDocumentTitle(board ? visibleName(board.name) : "Board");
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 5 } }),
    useSensor(KeyboardSensor, { coordinateGetter: toNextZone }),
  );

  if (error) return <ErrorState className="m-4" title="The board could not be loaded" error={error} onRetry={read} />;
  if (board === null) return <NotFound />;
  if (!board) return <Skeleton className="m-4 h-64" />;

  const card = cards.find(({ id }) => id === held);
  const move = async (id: string, zone: string) => {
    if (!signing.isSigned({ id, zone })) return;
    const refusal = await signing.introduction.say();
    if (!refusal) await place(id, zone);
  };
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    setHeld(undefined);
    const from = cards.find(({ id }) => id === active.id)?.zone;
    if (over && over.id !== from) void move(String(active.id), String(over.id));
  };
  const titleOf = (id: UniqueIdentifier) => visibleName(cards.find((card) => card.id === id)?.title ?? "");
  const announcements: Announcements = {
    onDragStart: ({ active }) => `${titleOf(active.id)} is picked up.`,
    onDragOver: ({ active, over }) => over && `${titleOf(active.id)} is over ${over.id}.`,
    onDragEnd: ({ active, over }) => over && `${titleOf(active.id)} is in ${over.id} now.`,
    onDragCancel: ({ active }) => `${titleOf(active.id)} stays where it was.`,
  } as Announcements;

  return (
    <main className="flex min-h-0 grow flex-col gap-3 px-3 py-3 sm:px-4 sm:py-4">
      <div className="flex flex-wrap items-center gap-2">
        <h1 className="min-w-0 truncate text-lg font-semibold tracking-tight">
          <Link to="/boards" className="font-normal text-muted-foreground hover:text-foreground">
            Boards /{" "}
          </Link>
          <bdi>{visibleName(board.name)}</bdi>
        </h1>
        <span className="mr-auto text-sm text-muted-foreground tabular-nums">{cards.length}</span>
        <SignFirst
          signing={signing}
          wordsOf={({ id, zone }) => `Put ${titleOf(id) || "it"} in ${visibleName(zone)}`}
          busy={false}
          onSigned={({ id, zone }) => void move(id, zone)}
        />
        <AddSession onBoard={new Set(cards.map(({ id }) => id))} onAdd={(id) => move(id, board.zones[0] ?? "")} />
      </div>
      {board.description && (
        <p className="max-w-[90ch] text-sm text-muted-foreground">{visibleName(board.description)}</p>
      )}
      <DndContext
        sensors={sensors}
        collisionDetection={(args) => (args.pointerCoordinates ? pointerWithin(args) : rectIntersection(args))}
        accessibility={{
          announcements,
          screenReaderInstructions: {
            draggable:
              "Space picks a card up, the arrow keys take it to another zone, Space puts it down, Escape leaves it.",
          },
        }}
        onDragStart={({ active }) => setHeld(active.id)}
        onDragCancel={() => setHeld(undefined)}
        onDragEnd={onDragEnd}
      >
        <div className="flex min-h-0 grow gap-3 max-sm:flex-col sm:overflow-x-auto">
          {board.zones.map(
            (zone) =>
              zone && (
                <Zone
                  key={zone}
                  name={zone}
                  zones={board.zones}
                  cards={cards.filter((card) => card.zone === zone)}
                  onMove={move}
                />
              ),
          )}
        </div>
        <DragOverlay dropAnimation={null}>{card && <CardFace row={card} className="shadow-lg" />}</DragOverlay>
      </DndContext>
    </main>
  );
}
