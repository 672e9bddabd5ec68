import { Download } from "lucide-react";
import { toast } from "sonner";
import { Button } from "@/components/ui/button";
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from "@/components/ui/dropdown-menu";
import { messageOf } from "@/lib/errors.ts";
import { download } from "../download.ts";
import { pageClient } from "../page-client.ts";
import { JsonExport, MarkdownExport } from "../queries.ts";

export function ExportMenu({ id, sessionRef }: { id: string; sessionRef: string }) {
  const asMarkdown = async () => {
    const { data, error } = await pageClient.query(MarkdownExport, { id }).toPromise();
    if (error) toast.error(messageOf(error));
    else download(`${sessionRef}.md`, "text/markdown", data?.session?.asMarkdown ?? "");
  };
  const asJson = async () => {
    const { data, error } = await pageClient.query(JsonExport, { id }).toPromise();
    if (error) toast.error(messageOf(error));
    else download(`${sessionRef}.json`, "application/json", JSON.stringify(data?.session?.asJson, null, 2));
  };
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="outline" size="sm">
          <Download aria-hidden="true" /> <span className="max-sm:sr-only">Export</span>
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuItem onSelect={asMarkdown}>Markdown</DropdownMenuItem>
        <DropdownMenuItem onSelect={asJson}>JSON</DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}
