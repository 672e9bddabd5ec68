/** What the operator can mend: shown as its sentence, without a stack. */
export class StartError extends Error {}
