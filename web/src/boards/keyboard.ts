import type { KeyboardCoordinateGetter } from "@dnd-kit/core";

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** An arrow takes a card to the next zone, not a few pixels on. */
export const toNextZone: KeyboardCoordinateGetter = (event, { context }) => {
  const step = STEPS[event.code];
  const rect = context.collisionRect;
  if (!step || !rect) return undefined;
  event.preventDefault();
  const zones = [...context.droppableContainers.getEnabled()]
    .map(({ id }) => ({ id, rect: context.droppableRects.get(id) }))
    .filter((zone) => zone.rect !== undefined)
    .sort((a, b) => (a.rect?.left ?? 0) - (b.rect?.left ?? 0) || (a.rect?.top ?? 0) - (b.rect?.top ?? 0));
  const at = zones.findIndex(({ id }) => id === context.over?.id);
  const next = zones[Math.min(Math.max(at + step, 0), zones.length - 1)]?.rect;
  return next && { x: next.left + 8, y: next.top + 40 };
};
