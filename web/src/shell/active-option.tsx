import { useCommandState } from "cmdk";
import { type RefObject, useLayoutEffect } from "react";

/**
 * Says which option is selected to those who cannot see it. The box does that itself only for what its own keys have selected: of
 * what it was told to select it says nothing, or goes on naming an option that is there no more. Stands behind the options.
 */
export function ActiveOption({ box }: { box: RefObject<HTMLElement | null> }) {
  const selected = useCommandState(({ value }) => value);
  // Whenever the box says it by itself, it is said after that.
  useCommandState(({ selectedItemId }) => selectedItemId);
  useLayoutEffect(() => {
    const options = box.current?.querySelectorAll<HTMLElement>("[cmdk-item]") ?? [];
    const id = [...options].find(({ dataset }) => dataset.value === selected)?.id;
    for (const element of box.current?.querySelectorAll("[cmdk-input], [cmdk-list]") ?? []) {
      if (id) element.setAttribute("aria-activedescendant", id);
      else element.removeAttribute("aria-activedescendant");
    }
  });
  return null;
}
