import { useDocumentTitle } from "@/lib/document-title.ts";
import { NothingHere } from "./nothing-here.tsx";

export function NotFound() {
  useDocumentTitle("Not found");
  return (
    <NothingHere title="There is nothing at this address">
      Check how it is written, or look for it among the sessions. Links to sessions look like{" "}
      <code className="font-mono text-[13px] whitespace-nowrap">/s/calm-otter-17</code>.
    </NothingHere>
  );
}
