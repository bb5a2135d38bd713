import { Visitor } from 'oxc-parser';
import { findFunctions } from '../source/functions.ts';
import { collectImports } from '../source/imports.ts';
import type { Source } from '../source/parse-source.ts';
import type { Step } from './walk.ts';

/** Returns the files of the walk without duplicates, in the order of their first steps. */
export const listWalkFiles = (walk: readonly Step[]): string[] => [...new Set(walk.map(({ file }) => file))];

/** Returns the steps of the walk that the code contradicts, one sentence each. */
export function findWalkProblems(walk: readonly Step[], sources: readonly Source[]): string[] {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  return walk.flatMap((step, index) => {
    const source = byFile.get(step.file);
    if (!source) return [`${formatStep(step)}: there is no such file.`];
    if (findFunctions(source, step.calls).length === 0) {
      return [`${formatStep(step)}: the file has no such function.`];
    }
    if (step.from === null)
      return index === 0 ? [] : [`${formatStep(step)}: only the first step is called by nobody.`];
    const caller = byFile.get(step.from);
    const isBefore = walk.slice(0, index).some(({ file }) => file === step.from);
    if (!caller || !isBefore) return [`${formatStep(step)}: no earlier step is in ${step.from}.`];
    return findCallProblems(step, caller);
  });
}

const formatStep = ({ file, calls }: Step): string => `${file} ${calls}`;

function findCallProblems({ through, ...step }: Step, caller: Source): string[] {
  if (through !== undefined) {
    if (collectCalls(caller).has(through.as)) return [];
    return [
      `${formatStep(step)}: ${caller.file} calls nothing \`${through.as}\`, through ${through.reason}.`,
    ];
  }
  const [first = ''] = step.calls.split('.');
  if (caller.file === step.file) {
    if (collectCalls(caller).has(first)) return [];
    return [`${formatStep(step)}: nothing of the file itself calls or constructs \`${first}\`.`];
  }
  const isImported = collectImports(caller).some(
    ({ to, typeOnly, names }) => to === step.file && !typeOnly && names.includes(first),
  );
  return isImported ? [] : [`${formatStep(step)}: ${caller.file} does not import \`${first}\` from it.`];
}

/** Returns the names that a file calls or constructs: functions, classes, and the last name of members. */
function collectCalls({ program }: Source): ReadonlySet<string> {
  const names = new Set<string>();
  new Visitor({
    NewExpression: ({ callee }) => {
      if (callee.type === 'Identifier') names.add(callee.name);
    },
    CallExpression: ({ callee }) => {
      if (callee.type === 'Identifier') names.add(callee.name);
      if (callee.type === 'MemberExpression' && !callee.computed) names.add(callee.property.name);
    },
  }).visit(program);
  return names;
}
