/** A command of the repository: what it is told by its arguments, and what it does with that. */
export interface Command<Options> {
  /** Shown for `--help`, and below what is wrong with the arguments. */
  readonly usage: string;
  /** Nothing when the usage is asked for. @throws Error that says what is wrong with an argument. */
  readOptions(args: readonly string[]): Options | undefined;
  /** Tells whether all is well. */
  run(options: Options): Promise<boolean>;
}

/** Runs a command as a program, and ends it: 0 when all is well, 1 when it is not, 2 for arguments that it does not know. */
export async function runCommand<Options>({ usage, readOptions, run }: Command<Options>): Promise<void> {
  let options: Options | undefined;
  try {
    options = readOptions(process.argv.slice(2));
  } catch (problem) {
    console.error(`${problem instanceof Error ? problem.message : problem}\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  if (!options) {
    console.log(usage);
    return;
  }
  const passed = await run(options).catch((error: unknown) => {
    console.error(error);
    return false;
  });
  process.exit(passed ? 0 : 1);
}
