import { useEffect } from "react";

/** The name of the tab, with how much is new in it while nobody looks. */
export function useDocumentTitle(title?: string, unseen = 0) {
  useEffect(() => {
    document.title = `${unseen > 0 ? `(${unseen}) ` : ""}${title ? `${title} · Parley` : "Parley"}`;
    const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
    if (icon) icon.href = unseen > 0 ? "/favicon-unread.svg" : "/favicon.svg";
  }, [title, unseen]);
}
