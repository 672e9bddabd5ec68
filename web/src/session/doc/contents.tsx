import { visibleName } from "../markdown/visible.ts";
import type { DocVersion } from "../queries.ts";
import { teamColour } from "../team-colour.ts";
import type { Heading } from "./headings.ts";

const FEW = 3;
const MOST = 300;

interface ContentsProps {
  headings: readonly Heading[];
  changes: ReadonlyMap<string, DocVersion>;
  onShow: (index: number) => void;
}

/** The contents beside the text, where there is room for both; a dot says who wrote there last. */
export function Contents({ headings, changes, onShow }: ContentsProps) {
  if (headings.length < FEW) return null;
  const top = Math.min(...headings.map(({ level }) => level));
  return (
    <nav aria-label="Contents" className="hidden w-44 shrink-0 overflow-y-auto border-r px-2 py-4 @xl:block">
      <ol>
        {headings.slice(0, MOST).map(({ text, level }, index) => {
          const change = changes.get(text.trim());
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two headings may be the same
            <li key={index}>
              <button
                type="button"
                className="flex w-full items-center gap-1.5 rounded-sm px-1.5 py-1 text-left text-xs text-muted-foreground hover:bg-accent hover:text-foreground"
                style={{ paddingLeft: `${0.375 + (level - top) * 0.7}rem` }}
                onClick={() => onShow(index)}
              >
                <span className="min-w-0 truncate">{visibleName(text)}</span>
                {change?.writtenBy ? (
                  <span
                    aria-hidden="true"
                    className="ml-auto size-1.5 shrink-0 rounded-full"
                    style={{ background: teamColour(change.writtenBy.id) }}
                  />
                ) : null}
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
