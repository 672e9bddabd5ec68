import { useRef } from "react";

/** While `hold` is on, known items keep their place and new ones go to the end; their contents stay live. */
export function useSteadyOrder<T extends { id: string }>(items: T[], hold: boolean): T[] {
  const order = useRef<string[]>([]);
  const ordered = hold ? inOrder(items, order.current) : items;
  order.current = ordered.map(({ id }) => id);
  return ordered;
}

function inOrder<T extends { id: string }>(items: T[], order: string[]): T[] {
  const place = new Map(order.map((id, index) => [id, index]));
  const at = ({ id }: T) => place.get(id) ?? order.length;
  return items.toSorted((a, b) => at(a) - at(b));
}
