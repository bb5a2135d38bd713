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
  /** How many signs a line of the terminal has. Absent: `out` is no terminal. */
  readonly width?: number | undefined;
  /** Asks whoever sits at the terminal. Absent: nobody does. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** The command was called in a way that it does not have; the message says which. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Returns the address of a deployment. @throws UsageError if it is none. */
export function deploymentUrl(url: string): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url);
  throw new UsageError('--url takes an http address, such as https://clerk.example.workers.dev');
}
