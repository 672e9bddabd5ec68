import { type FormEvent, useCallback, useRef, useState } from "react";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/components/ui/dialog";
import type { Refusal } from "@/lib/call.ts";
import { NameInput, useIntroduction } from "./introduction.tsx";

/** For what is done by one press: asks for a name before it, where one is needed. Answers whether it can be done now. */
export function useIntroduceFirst(): { introduce: () => Promise<boolean>; dialog: React.ReactNode } {
  const introduction = useIntroduction();
  const needed = useRef(introduction.needed);
  needed.current = introduction.needed;
  const [settle, setSettle] = useState<(said: boolean) => void>();
  const [refusal, setRefusal] = useState<Refusal>();
  const introduce = useCallback(
    () => (needed.current ? new Promise<boolean>((resolve) => setSettle(() => resolve)) : Promise.resolve(true)),
    [],
  );
  const close = (said: boolean) => {
    settle?.(said);
    setSettle(undefined);
    setRefusal(undefined);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const refused = await introduction.say();
    if (refused) setRefusal(refused);
    else close(true);
  };
  const dialog = settle ? (
    <Dialog open onOpenChange={(open) => !open && close(false)}>
      <DialogContent className="sm:max-w-sm">
        <DialogHeader>
          <DialogTitle>Say who you are</DialogTitle>
          <DialogDescription>Once: your name is what you sign with.</DialogDescription>
        </DialogHeader>
        <form onSubmit={submit} className="grid gap-3">
          <NameInput introduction={introduction} />
          <Refused refusal={refusal} />
          <Button type="submit" className="justify-self-end">
            Continue
          </Button>
        </form>
      </DialogContent>
    </Dialog>
  ) : null;
  return { introduce, dialog };
}
