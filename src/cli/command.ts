/** A command of `npx holdfast`. */
export interface Command {
  /** The description in the list of commands. */
  readonly summary: string;
  /** The text of `npx holdfast COMMAND --help`. */
  readonly help: string;
  /**
   * Runs the command with its arguments, and resolves with the exit code. @throws UsageError if the arguments
   * are invalid.
   */
  run(args: readonly string[], output: Output): Promise<number>;
}

/** The output and error streams of a command. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The width of the terminal in characters. Absent if `out` is not a terminal. */
  readonly width?: number | undefined;
  /** Asks the user a question at the terminal. Absent if there is no terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/** The arguments of a command are invalid. The message describes the problem. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Returns the URL of a deployment. @throws UsageError if it is not a URL of one. */
export function parseDeploymentUrl(url: string): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url);
  throw new UsageError('--url must be an http or https URL, such as https://clerk.example.workers.dev');
}
