/** A command of `npx holdfast`. */
export interface Command {
  /** One line of the list of commands. */
  readonly summary: string;
  /** The text of `npx holdfast COMMAND --help`. */
  readonly help: string;
  /** Runs it with the arguments behind its name, and resolves with the exit code. @throws UsageError if they make no sense. */
  run(args: readonly string[], output: Output): Promise<number>;
}

/** Where a command writes: what it found, and what went wrong. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** The command was called in a way that it does not have; the message says which. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
