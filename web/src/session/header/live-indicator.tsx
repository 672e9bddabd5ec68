import { WifiOff } from "lucide-react";
import { useConnection } from "@/lib/urql.ts";

const WORDS = { live: "", reconnecting: "reconnecting …", offline: "offline" };

/** Says when what is shown may no longer be how things are. */
export function LiveIndicator() {
  const connection = useConnection();
  return (
    <span role="status" className="inline-flex items-center gap-1">
      {connection === "live" ? null : <WifiOff aria-hidden="true" className="size-3.5" />}
      {WORDS[connection]}
    </span>
  );
}
