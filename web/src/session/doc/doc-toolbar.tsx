import { Download, Footprints, Rows3 } from "lucide-react";
import { CopyButton } from "@/components/copy-button.tsx";
import { Button } from "@/components/ui/button";
import { download } from "../download.ts";
import type { DocVersion } from "../queries.ts";
import type { DocView } from "../view.ts";
import type { Heading } from "./headings.ts";
import { Outline } from "./outline.tsx";
import { VersionSelect } from "./version-select.tsx";

const NAMES = { read: "Read", diff: "Diff", raw: "Raw" } as const;

interface DocToolbarProps {
  fileName: string;
  text: string;
  view: DocView;
  onView: (view: DocView) => void;
  versions: readonly DocVersion[];
  onVersions: () => void;
  newest: number;
  version: number;
  onVersion: (version: number) => void;
  base: number;
  onBase: (version: number) => void;
  headings: readonly Heading[];
  onHeading: (index: number) => void;
  /** Whether the page goes where is written; absent where nothing is any more. */
  follows: boolean | undefined;
  onFollow: (follows: boolean) => void;
}

export function DocToolbar(props: DocToolbarProps) {
  const { fileName, text, view, onView, versions, onVersions, newest, version, onVersion, base, onBase } = props;
  const comparing = view === "diff" || view === "lines";
  return (
    <div className="flex flex-wrap items-center gap-2 border-b px-3 py-1.5 @md:flex-nowrap">
      <fieldset aria-label="How the document is shown" className="flex rounded-md border">
        {(Object.keys(NAMES) as (keyof typeof NAMES)[]).map((name) => {
          const pressed = name === view || (name === "diff" && comparing);
          return (
            <Button
              key={name}
              variant={pressed ? "secondary" : "ghost"}
              size="sm"
              className="h-7.5 px-2.5"
              aria-pressed={pressed}
              onClick={() => onView(name)}
            >
              {NAMES[name]}
            </Button>
          );
        })}
      </fieldset>
      {comparing ? (
        <>
          <VersionSelect
            of="two"
            label="Compare with"
            versions={versions}
            newest={newest}
            value={base}
            withEmpty
            onChange={onBase}
            onOpen={onVersions}
          />
          <span aria-hidden="true">→</span>
        </>
      ) : null}
      {newest > 0 ? (
        <VersionSelect
          of={comparing ? "two" : "one"}
          label="Version"
          versions={versions}
          newest={newest}
          value={version}
          onChange={onVersion}
          onOpen={onVersions}
        />
      ) : null}
      {version < newest ? (
        <Button variant="link" size="sm" className="px-1" onClick={() => onVersion(newest)}>
          Newest
        </Button>
      ) : null}
      <div className="ml-auto flex">
        {comparing ? (
          <Button
            variant={view === "lines" ? "secondary" : "ghost"}
            size="icon-sm"
            aria-label="Line by line"
            title="Line by line"
            aria-pressed={view === "lines"}
            onClick={() => onView(view === "lines" ? "diff" : "lines")}
          >
            <Rows3 aria-hidden="true" />
          </Button>
        ) : null}
        {view === "read" && props.follows !== undefined ? (
          <Button
            variant={props.follows ? "secondary" : "ghost"}
            size="icon-sm"
            aria-label="Follow the writing"
            title="Follow the writing"
            aria-pressed={props.follows}
            onClick={() => props.onFollow(!props.follows)}
          >
            <Footprints aria-hidden="true" />
          </Button>
        ) : null}
        {view === "read" ? (
          <span className="@xl:hidden">
            <Outline headings={props.headings} onShow={props.onHeading} />
          </span>
        ) : null}
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
  );
}
