/** A command of the repository, with its arguments. */
export interface Command<Options> {
  /** Printed for `--help` and after an error in the arguments. */
  readonly usage: string;
  /** Returns `undefined` if help is requested. @throws Error if an argument is invalid. */
  readOptions(args: readonly string[]): Options | undefined;
  /** Returns `true` on success. */
  run(options: Options): Promise<boolean>;
}

/** Runs a command as a program, and exits with 0 on success, 1 on failure, and 2 for invalid arguments. */
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
