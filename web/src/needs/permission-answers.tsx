import { useState } from "react";
import { Refused } from "@/components/refused.tsx";
import { Button } from "@/components/ui/button";
import { call, type Refusal } from "@/lib/call.ts";
import { SignFirst, useSigning } from "@/people/introduction.tsx";
import { type PermissionOption, permissionWords } from "./permission-words.ts";
import { AnswerPermission } from "./queries.ts";

interface PermissionAnswersProps {
  sessionId: string;
  handle: string;
  request: string;
  /** As the runner has told them. */
  options: readonly PermissionOption[];
  onAnswered?: () => void;
}

/** What may be answered to an agent that wants to be allowed something. */
export function PermissionAnswers({ sessionId, handle, request, options, onAnswered }: PermissionAnswersProps) {
  const signing = useSigning<PermissionOption>();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const answer = async (choice: PermissionOption) => {
    if (!signing.isSigned(choice)) return;
    setBusy(true);
    const refused =
      (await signing.introduction.say()) ??
      (await call(AnswerPermission, { id: sessionId, handle, request, option: choice.option })).refusal;
    setRefusal(refused);
    setBusy(false);
    if (!refused) onAnswered?.();
  };
  return (
    <>
      <SignFirst signing={signing} wordsOf={permissionWords} busy={busy} onSigned={answer} />
      <div className="flex flex-wrap gap-2">
        {options.map((choice) => (
          <Button key={choice.option} size="sm" variant="outline" disabled={busy} onClick={() => answer(choice)}>
            <bdi>{permissionWords(choice)}</bdi>
          </Button>
        ))}
      </div>
      <Refused refusal={refusal} />
    </>
  );
}
