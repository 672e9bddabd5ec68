import { diffArrays } from "diff";
import { useMemo } from "react";
import { Markdown } from "../markdown/markdown.tsx";
import { docBlocks, joinBlocks } from "./doc-blocks.ts";

const MOST_CHANGES = 200;
/** As much of what did not change as it takes to know where one is. */
const AROUND = 1;

type Piece = { kind: "added" | "removed" | "same"; blocks: string[] };

const LOOKS = {
  added: { sign: "+", word: "Added", look: "border-green-600 bg-green-500/10" },
  removed: { sign: "−", word: "Removed", look: "border-red-600 bg-red-500/10" },
};

/** What changed between two versions, as it reads: block by block. The sign says it, the colour repeats it. */
export function RenderedDiff({ from, to, onLines }: { from: string; to: string; onLines: () => void }) {
  const pieces = useMemo(() => piecesOf(from, to), [from, to]);
  if (!pieces || pieces.filter(({ kind }) => kind !== "same").length > MOST_CHANGES)
    return (
      <p className="p-4 text-sm text-muted-foreground">
        The two versions differ too much to show it like this.{" "}
        <button type="button" className="underline underline-offset-2" onClick={onLines}>
          Compare them line by line
        </button>
      </p>
    );
  if (pieces.every(({ kind }) => kind === "same"))
    return <p className="p-4 text-sm text-muted-foreground">The two versions are the same.</p>;
  return (
    <div className="max-w-[80ch] space-y-2 p-4 text-sm">
      {pieces.map((piece, index) =>
        piece.kind === "same" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a comparison have no other name
          <Unchanged key={index} blocks={piece.blocks} first={index === 0} last={index === pieces.length - 1} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a comparison have no other name
          <Changed key={index} kind={piece.kind} blocks={piece.blocks} />
        ),
      )}
    </div>
  );
}

function piecesOf(from: string, to: string): Piece[] | undefined {
  const changes = diffArrays(docBlocks(from), docBlocks(to), { timeout: 1_000 });
  return changes?.map(({ added, removed, value }) => ({
    kind: added ? "added" : removed ? "removed" : "same",
    blocks: value,
  }));
}

function Changed({ kind, blocks }: { kind: "added" | "removed"; blocks: readonly string[] }) {
  const { sign, word, look } = LOOKS[kind];
  const Tag = kind === "added" ? "ins" : "del";
  return (
    <Tag className={`flex gap-2 rounded-sm border-l-2 py-1 pr-2 pl-2 no-underline ${look}`}>
      <span aria-hidden="true" className="font-mono select-none">
        {sign}
      </span>
      <span className="sr-only">{word}: </span>
      <div className="min-w-0 flex-1">
        <Markdown text={joinBlocks(blocks)} />
      </div>
    </Tag>
  );
}

function Unchanged({ blocks, first, last }: { blocks: readonly string[]; first: boolean; last: boolean }) {
  const [head, tail] = [first ? [] : blocks.slice(0, AROUND), last ? [] : blocks.slice(-AROUND)];
  const hidden = blocks.length - head.length - tail.length;
  if (hidden <= 1) return <Quiet blocks={blocks} />;
  return (
    <>
      {head.length > 0 ? <Quiet blocks={head} /> : null}
      <p className="py-1 text-center text-xs text-muted-foreground">{hidden} unchanged</p>
      {tail.length > 0 ? <Quiet blocks={tail} /> : null}
    </>
  );
}

const Quiet = ({ blocks }: { blocks: readonly string[] }) => (
  <div className="pl-6 text-muted-foreground">
    <Markdown text={joinBlocks(blocks)} />
  </div>
);
