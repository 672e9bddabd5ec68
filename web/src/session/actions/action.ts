import type { LucideIcon } from "lucide-react";
import type { Refusal } from "@/lib/call.ts";

/** One thing that the dialog of an action asks for. */
export interface Asked {
  /** As the argument of the verb is called: a refusal that names it stands beside it. */
  name: string;
  label: string;
  hint?: string;
  /** Several lines, unless it is a choice. */
  long?: boolean;
  choices?: Record<string, string>;
  required?: boolean;
  initial?: string;
  placeholder?: string;
  /** Only asked for when the server has refused with this code. */
  after?: string;
}

export type Values = Record<string, string>;

export interface Done {
  refusal?: Refusal | undefined;
  /** What the person has to take along: it is shown once. */
  link?: { url: string; about: string };
}

/** Something that a person does to a session, after having read in words what it does. */
export interface Action {
  id: string;
  label: string;
  icon: LucideIcon;
  title: string;
  about: string;
  /** The word on the button that does it. */
  verb: string;
  destructive?: boolean;
  asks: Asked[];
  run: (values: Values) => Promise<Done>;
}
