import { type FormEvent, useState } from "react";
import { Field } from "@/components/field.tsx";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import {
  Dialog,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from "@/components/ui/dialog";
import { Input } from "@/components/ui/input";
import { call, type Refusal } from "@/lib/call.ts";
import { CreateBoard } from "./queries.ts";

export function NewBoardDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (board: string) => void }) {
  const [name, setName] = useState("");
  const [zones, setZones] = useState("Planning, In progress, Done");
  const [refusal, setRefusal] = useState<Refusal>();
  const create = async (event: FormEvent) => {
    event.preventDefault();
    const named = zones.split(",").map((zone) => zone.trim());
    const { data, refusal } = await call(CreateBoard, { name, description: "", zones: named.filter(Boolean) });
    setRefusal(refusal);
    const board = data?.createBoard?.result?.board;
    if (board) onCreated(board);
  };
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent>
        <form onSubmit={create} className="flex flex-col gap-4">
          <DialogHeader>
            <DialogTitle>New board</DialogTitle>
            <DialogDescription>A session is on one board at most, in one of its zones.</DialogDescription>
          </DialogHeader>
          <Field label="Name" {...(refusal?.field === "name" && { error: refusal.message })}>
            {(control) => (
              <Input {...control} required autoFocus value={name} onChange={(e) => setName(e.target.value)} />
            )}
          </Field>
          <Field
            label="Zones"
            hint="In their order, with commas."
            {...(refusal?.field === "zones" && { error: refusal.message })}
          >
            {(control) => <Input {...control} required value={zones} onChange={(e) => setZones(e.target.value)} />}
          </Field>
          {!refusal?.field && <Refused refusal={refusal} />}
          <DialogFooter>
            <Button type="button" variant="ghost" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Make the board</Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
