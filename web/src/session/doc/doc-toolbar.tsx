import { Download } from "lucide-react";
import type { RefObject } from "react";
import { CopyButton } from "@/components/copy-button.tsx";
import { Button } from "@/components/ui/button";
import { download } from "../download.ts";
import type { DocVersion } from "../queries.ts";
import { Outline } from "./outline.tsx";
import { VersionSelect } from "./version-select.tsx";

const VIEWS = { read: "Read", raw: "Raw", diff: "Diff" } as const;
export type DocView = keyof typeof VIEWS;

interface DocToolbarProps {
  fileName: string;
  text: string;
  view: DocView;
  onView: (view: DocView) => void;
  versions: DocVersion[];
  newest: number;
  version: number;
  onVersion: (version: number) => void;
  base: number;
  onBase: (version: number) => void;
  container: RefObject<HTMLElement | null>;
}

export function DocToolbar(props: DocToolbarProps) {
  const { fileName, text, view, onView, versions, newest, version, onVersion, base, onBase } = props;
  return (
    <div className="@container border-b">
      <div className="flex flex-wrap items-center gap-2 px-3 py-2 @md:flex-nowrap">
        <fieldset aria-label="How the document is shown" className="flex rounded-md border">
          {(Object.keys(VIEWS) as DocView[]).map((name) => (
            <Button
              key={name}
              variant={name === view ? "secondary" : "ghost"}
              size="sm"
              className="h-7.5 px-2.5"
              aria-pressed={name === view}
              onClick={() => onView(name)}
            >
              {VIEWS[name]}
            </Button>
          ))}
        </fieldset>
        {view === "diff" ? (
          <>
            <VersionSelect
              of="two"
              label="Compare with"
              versions={versions}
              newest={newest}
              value={base}
              withEmpty
              onChange={onBase}
            />
            <span aria-hidden="true">→</span>
          </>
        ) : null}
        {newest > 0 ? (
          <VersionSelect
            of={view === "diff" ? "two" : "one"}
            label="Version"
            versions={versions}
            newest={newest}
            value={version}
            onChange={onVersion}
          />
        ) : null}
        {version < newest ? (
          <Button variant="link" size="sm" className="px-1" onClick={() => onVersion(newest)}>
            Newest
          </Button>
        ) : null}
        <div className="ml-auto flex">
          {view === "read" ? <Outline container={props.container} /> : null}
          <CopyButton value={text} label="Copy the document" />
          <Button
            variant="ghost"
            size="icon-sm"
            aria-label="Download the document"
            title="Download"
            onClick={() => download(fileName, "text/markdown", text)}
          >
            <Download aria-hidden="true" />
          </Button>
        </div>
      </div>
    </div>
  );
}
