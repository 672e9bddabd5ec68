import { Component, type ReactNode } from "react";
import { LongText } from "./long-text.tsx";

interface AsWrittenProps {
  text: string;
  /** Why it is shown like this, where it will stay so. */
  note?: string;
}

export function AsWritten({ text, note }: AsWrittenProps) {
  return (
    <>
      <p className="break-words whitespace-pre-wrap">
        <LongText text={text} />
      </p>
      {note ? <p className="mt-1 text-xs text-muted-foreground italic">{note}</p> : null}
    </>
  );
}

export const NOT_FORMATTED = "Shown as it was written: it could not be formatted.";

interface FormattedOrAsWrittenProps {
  text: string;
  children: ReactNode;
}

/** Whatever goes wrong while a text is formatted stays with that text, and ends with it. */
export class FormattedOrAsWritten extends Component<
  FormattedOrAsWrittenProps,
  { text: string | undefined; failed: boolean }
> {
  override state = { text: undefined, failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  static getDerivedStateFromProps({ text }: FormattedOrAsWrittenProps, state: { text: string | undefined }) {
    return text === state.text ? null : { text, failed: false };
  }

  override render() {
    const { text, children } = this.props;
    return this.state.failed ? <AsWritten text={text} note={NOT_FORMATTED} /> : children;
  }
}
