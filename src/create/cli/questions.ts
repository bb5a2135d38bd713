import { cancel, confirm, intro, isCancel, select, text } from '@clack/prompts';
import { type Options, TEMPLATES, type Template } from './options.ts';
import { CreateProblem } from './problem.ts';
import { holdsApp, readTarget } from './target.ts';

/** What has to be known before a project is written. */
export interface Answers {
  readonly folder: string;
  readonly template: Template;
  readonly install: boolean;
}

/** Returns what the command line says, and what it leaves open as it is without questions. */
export const defaultAnswers = ({ folder, template = 'minimal', install }: Options, cwd: string): Answers => ({
  folder: folder ?? (template === 'embed' && holdsApp(cwd) ? '.' : 'my-agent'),
  template,
  install,
});

/** Asks for what the command line leaves open. @throws CreateProblem when the person cancels. */
export async function askAnswers(options: Options, cwd: string): Promise<Answers> {
  intro('create-holdfast');
  const isInApp = holdsApp(cwd) && (options.folder === undefined || options.folder === '.');
  const template =
    options.template ??
    (await answered(
      select<Template>({
        message: 'What do you start with?',
        initialValue: isInApp ? 'embed' : 'minimal',
        options: Object.entries(TEMPLATES).map(([name, what]) => ({
          value: name as Template, // its own keys
          label: `${name.padEnd(14)}${what}`,
        })),
      }),
    ));
  const initial = defaultAnswers({ ...options, template }, cwd).folder;
  const folder =
    options.folder ??
    (await answered(
      text({
        message: 'In which folder?',
        placeholder: initial,
        defaultValue: initial,
        validate: (given) => problemOf(given || initial, template, cwd),
      }),
    ));
  const install = options.install && (await answered(confirm({ message: 'Install the packages?' })));
  return { folder, template, install };
}

function problemOf(folder: string, template: Template, cwd: string): string | undefined {
  try {
    readTarget(folder, template, cwd);
    return undefined;
  } catch (problem) {
    if (problem instanceof CreateProblem) return problem.message;
    throw problem;
  }
}

async function answered<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question;
  if (!isCancel(answer)) return answer as Exclude<T, symbol>; // the one symbol is that of a cancel
  cancel('Nothing was written.');
  return process.exit(1);
}
