import { Link, useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/ui/button";

interface Refusal {
  message: string;
  hint?: string | undefined;
  /** Switched off on this server. */
  none?: boolean;
  /** The demo that is already running. */
  ref?: string | undefined;
}

interface Answer {
  ref?: string;
  error?: { message: string; details?: { hint?: string; ref?: string } };
}

/** Starts the scripted teams on the server and goes to where they meet. */
export function StartDemo() {
  const navigate = useNavigate();
  const [starting, setStarting] = useState(false);
  const [refused, setRefused] = useState<Refusal>();
  const start = async () => {
    setStarting(true);
    const { ref, refusal } = await startDemo();
    setStarting(false);
    setRefused(refusal);
    if (ref) await navigate({ to: "/s/$ref", params: { ref } });
  };
  return (
    <>
      {!refused?.none && (
        <Button variant="outline" size="sm" disabled={starting} onClick={start}>
          <Play aria-hidden /> {starting ? "Starting…" : "Start the demo"}
        </Button>
      )}
      {refused && (
        <p role="alert" className="text-destructive">
          {refused.message}{" "}
          {refused.ref ? (
            <Link to="/s/$ref" params={{ ref: refused.ref }} className="underline">
              Open {refused.ref}
            </Link>
          ) : (
            refused.hint
          )}
        </p>
      )}
    </>
  );
}

async function startDemo(): Promise<{ ref?: string; refusal?: Refusal }> {
  try {
    const response = await fetch("/demo", { method: "POST", headers: { "content-type": "application/json" } });
    const { ref, error }: Answer = await response.json();
    if (response.ok && ref) return { ref };
    const message = error?.message ?? "The demo did not start.";
    return { refusal: { message, none: response.status === 404, ...error?.details } };
  } catch {
    return { refusal: { message: "The server does not answer." } };
  }
}
