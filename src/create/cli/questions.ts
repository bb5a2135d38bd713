import { cancel, confirm, intro, isCancel, select, text } from '@clack/prompts';
import { type Options, TEMPLATES, type Template } from './options.ts';
import { CreateProblem } from './problem.ts';
import { isAppFolder, readTarget } from './target.ts';

/** The answers that are needed to write a project. */
export interface Answers {
  readonly folder: string;
  readonly template: Template;
  readonly install: boolean;
}

/** Returns the options of the command line, with defaults for the others. */
export const createDefaultAnswers = (
  { folder, template = 'minimal', install }: Options,
  cwd: string,
): Answers => ({
  folder: folder ?? (template === 'embed' && isAppFolder(cwd) ? '.' : 'my-agent'),
  template,
  install,
});

/** Asks for options that are not on the command line. @throws CreateProblem if the user cancels. */
export async function askAnswers(options: Options, cwd: string): Promise<Answers> {
  intro('create-holdfast');
  const isInApp = isAppFolder(cwd) && (options.folder === undefined || options.folder === '.');
  const template =
    options.template ??
    (await readAnswer(
      select<Template>({
        message: 'What do you start with?',
        initialValue: isInApp ? 'embed' : 'minimal',
        options: Object.entries(TEMPLATES).map(([name, what]) => ({
          value: name as Template, // a key of this object
          label: `${name.padEnd(14)}${what}`,
        })),
      }),
    ));
  const initial = createDefaultAnswers({ ...options, template }, cwd).folder;
  const folder =
    options.folder ??
    (await readAnswer(
      text({
        message: 'In which folder?',
        placeholder: initial,
        defaultValue: initial,
        validate: (given) => findFolderProblem(given || initial, template, cwd),
      }),
    ));
  const install = options.install && (await readAnswer(confirm({ message: 'Install the packages?' })));
  return { folder, template, install };
}

function findFolderProblem(folder: string, template: Template, cwd: string): string | undefined {
  try {
    readTarget(folder, template, cwd);
    return undefined;
  } catch (problem) {
    if (problem instanceof CreateProblem) return problem.message;
    throw problem;
  }
}

async function readAnswer<T>(question: Promise<T>): Promise<Exclude<T, symbol>> {
  const answer = await question;
  if (!isCancel(answer)) return answer as Exclude<T, symbol>; // the only symbol means a cancel
  cancel('Nothing was written.');
  return process.exit(1);
}
