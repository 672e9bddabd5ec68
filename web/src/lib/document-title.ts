import { useEffect } from "react";

/** The name of the tab, with how much needs somebody; a dot, and another picture, for what has come while nobody looked. */
export function useDocumentTitle(title?: string, { needs = 0, unseen = false } = {}) {
  useEffect(() => {
    const name = title ? `${title} · Parley` : "Parley";
    document.title = [unseen ? "•" : "", needs > 0 ? `(${needs})` : "", name].filter(Boolean).join(" ");
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = unseen || needs > 0 ? "/favicon-unread.svg" : "/favicon.svg";
  }, [title, needs, unseen]);
}
