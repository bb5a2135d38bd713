import { type Command, type Output, UsageError } from './command.ts';
import { console } from './console/console.ts';
import { doctor } from './doctor/doctor.ts';
import { inbox } from './remote/inbox.ts';
import { sessions, usage } from './remote/lists.ts';
import { cancel, erase, journal, retry, show } from './remote/one-session.ts';
import { smoke } from './smoke/smoke.ts';

/** Every command by name. Add new commands here. */
const COMMANDS: Readonly<Record<string, Command>> = {
  doctor,
  smoke,
  sessions,
  inbox,
  show,
  journal,
  cancel,
  retry,
  erase,
  usage,
  console,
};

/** The exit code for an unknown command or invalid arguments. */
const EXIT_MISUSED = 2;

/**
 * Runs `holdfast ARGS`, and resolves with the exit code. Writes an error for invalid arguments and does not
 * reject.
 */
export async function runCli(args: readonly string[], version: string, output: Output): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version' || name === '-v') {
    output.out(version);
    return 0;
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    output.out(formatHelp());
    return name === undefined ? EXIT_MISUSED : 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    output.err(`holdfast has no command '${name.slice(0, 40)}'.\n\n${formatHelp()}`);
    return EXIT_MISUSED;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    output.out(command.help);
    return 0;
  }
  try {
    return await command.run(rest, output);
  } catch (failure) {
    if (!(failure instanceof UsageError)) throw failure;
    output.err(`holdfast ${name}: ${failure.message}\n\n${command.help}`);
    return EXIT_MISUSED;
  }
}

const formatHelp = (): string =>
  [
    'Usage: npx holdfast COMMAND [OPTIONS]',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`),
    '',
    'npx holdfast COMMAND --help lists the options of a command.',
  ].join('\n');
