/** What stands beside the feed; where there is no room for both, the feed is one of them. */
export const PANES = ["now", "work", "doc", "agents", "timeline"] as const;
export const TABS = ["feed", ...PANES] as const;
export type Pane = (typeof PANES)[number];
export type Tab = (typeof TABS)[number];

export const DOC_VIEWS = ["read", "diff", "lines", "raw"] as const;
export type DocView = (typeof DOC_VIEWS)[number];
