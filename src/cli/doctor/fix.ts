import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EditError } from './config-edit.ts';
import { editJsonc } from './edit-jsonc.ts';
import { editToml } from './edit-toml.ts';
import type { Edit, Problem } from './problem.ts';
import type { Project } from './project.ts';

/** The outcome of the fixes: the fixed problems, and why others were not fixed. */
export interface FixOutcome {
  readonly done: readonly Problem[];
  readonly refused: readonly { readonly problem: Problem; readonly because: string }[];
}

/** Applies the fixes of problems to the files of a project, each completely or not at all. */
export function applyFixes(project: Project, problems: readonly Problem[]): FixOutcome {
  const done: Problem[] = [];
  const refused: FixOutcome['refused'][number][] = [];
  for (const problem of problems) {
    const before = new Map<string, string | undefined>();
    try {
      for (const edit of problem.edits ?? []) before.set(...applyEdit(project, edit, before));
      if (problem.edits) done.push(problem);
    } catch (failure) {
      if (!(failure instanceof EditError)) throw failure;
      for (const [path, text] of before) if (text !== undefined) writeFileSync(path, text);
      refused.push({ problem, because: failure.message });
    }
  }
  return { done, refused };
}

/** Changes a file. Returns its path and its text before all edits of the problem. */
function applyEdit(
  { folder, configFile }: Project,
  edit: Edit,
  before: ReadonlyMap<string, string | undefined>,
): [string, string | undefined] {
  const path = join(folder, edit.type === 'config' ? configFile : edit.file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const changed =
    edit.type === 'config'
      ? (configFile.endsWith('.toml') ? editToml : editJsonc)(text, edit.edit)
      : edit.type === 'append'
        ? `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${edit.lines}`
        : setDevVar(text, edit.name, edit.value);
  writeFileSync(path, changed);
  return [path, before.get(path) ?? text];
}

function setDevVar(text: string, name: string, value: string): string {
  const line = `${name}=${value}`;
  const given = new RegExp(`^\\s*(export\\s+)?${name}\\s*=.*$`, 'm');
  if (given.test(text)) return text.replace(given, () => line);
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}
