import type { Mode } from './course.ts';
import type { NamedEffect, Portrait } from './portrait.ts';

/** What a disturbance did to a play. */
export type Verdict =
  | { readonly is: 'equal' }
  /** But for calls that were cut off and that nobody can ask about: the model was told so. */
  | { readonly is: 'unknown' }
  | { readonly is: 'failed'; readonly why: readonly string[] };

/** What a disturbed play is compared with. */
export interface Comparison {
  readonly modes: readonly Mode[];
  readonly undisturbed: Portrait;
  /** The undisturbed play in which the connection of the same calls broke; the undisturbed one itself when none is unknown. */
  readonly expected: Portrait;
  /** What the model may have been shown by whoever was cut off: he knew of calls what nobody else does. */
  readonly alsoShown: readonly string[];
}

/** Modes in which nothing is cut off, so that nothing may be done or asked twice. */
const GENTLE: readonly Mode[] = ['cold-fold', 'lost-acknowledgement', 'restart'];

/**
 * Compares a disturbed play with the undisturbed one: what the model was shown, what the session remembers, what
 * happened, and how often each call had its effect.
 */
export function verdictOf(seen: Portrait, { modes, undisturbed, expected, alsoShown }: Comparison): Verdict {
  const isGentle = modes.every((mode) => GENTLE.includes(mode));
  const why = [
    ...doubled(seen, expected),
    ...effectFaults(seen, { expected, isGentle }),
    ...doubtFaults(seen, { undisturbed, isGentle }),
    ...(isGentle && seen.takenOver > 0 ? ['an invocation was lost that nobody had cut off'] : []),
    ...storyFaults(seen, expected),
    ...memoryFaults(seen, expected),
    ...requestFaults(seen, { expected, alsoShown, isGentle }),
  ];
  if (why.length > 0) return { is: 'failed', why };
  return { is: seen.unknown.size > 0 ? 'unknown' : 'equal' };
}

interface Expectation extends Pick<Comparison, 'undisturbed' | 'expected' | 'alsoShown'> {
  /** Everything is to have happened exactly as often. */
  readonly isGentle: boolean;
}

function requestFaults(
  { shown }: Portrait,
  { alsoShown, expected, isGentle }: Omit<Expectation, 'undisturbed'>,
): string[] {
  const known = new Set([...alsoShown, ...expected.shown]);
  const seen = new Set(shown);
  return [
    ...shown.filter((request) => !known.has(request)).map((request) => `the model was shown ${request}`),
    ...expected.shown
      .filter((request) => !seen.has(request))
      .map((request) => `the model was never shown ${request}`),
    ...(isGentle && shown.length !== expected.shown.length
      ? [`the model was asked ${shown.length} times, not ${expected.shown.length}`]
      : []),
  ];
}

function storyFaults({ story }: Portrait, expected: Portrait): string[] {
  const left = [...expected.story];
  const more = story.filter((event) => {
    const at = left.indexOf(event);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  return [...more.map((event) => `there is ${event}`), ...left.map((event) => `there is no ${event}`)];
}

function memoryFaults({ memory }: Portrait, expected: Portrait): string[] {
  const parts = new Set([...Object.keys(memory), ...Object.keys(expected.memory)]);
  return [...parts]
    .filter((part) => memory[part] !== expected.memory[part])
    .map((part) => `'${part}' is ${memory[part]}, not ${expected.memory[part]}`);
}

/** Tools that acted more often than they were asked to, by whatever name. */
function doubled({ effects }: Portrait, expected: Portrait): string[] {
  const careful = ({ care }: NamedEffect): boolean => care === 'once' || care === 'reconciled';
  const tools = new Set(effects.filter(careful).map(({ tool }) => tool));
  return [...tools].flatMap((tool) => {
    const [seen, asked] = [effects, expected.effects].map(
      (list) => list.filter((one) => one.tool === tool).length,
    );
    return (seen ?? 0) > (asked ?? 0) ? [`'${tool}' acted ${seen} times, not ${asked}`] : [];
  });
}

function effectFaults(
  { effects, unknown }: Portrait,
  { expected, isGentle }: Pick<Expectation, 'expected' | 'isGentle'>,
): string[] {
  const stray = effects
    .filter(({ name, care }) => name === undefined && (care !== 'read' || isGentle))
    .map(({ tool, call }) => `call ${call} of '${tool}' is in no journal`);
  const names = new Set([...effects, ...expected.effects].flatMap(({ name }) => name ?? []));
  const wrong = [...names].flatMap((name) => {
    const [mine, theirs] = [effects, expected.effects].map((list) => list.filter((one) => one.name === name));
    return (
      countFault({ mine: mine ?? [], theirs: theirs ?? [], isGentle, isUnknown: unknown.has(name) }) ?? []
    );
  });
  return [...stray, ...wrong];
}

interface Counted {
  readonly mine: readonly NamedEffect[];
  readonly theirs: readonly NamedEffect[];
  readonly isGentle: boolean;
  readonly isUnknown: boolean;
}

function countFault({ mine, theirs, isGentle, isUnknown }: Counted): string | undefined {
  const [one] = [...theirs, ...mine];
  if (!one) return undefined;
  const { care, tool, name } = one;
  const keys = new Set(mine.map(({ key }) => key)).size;
  const isRight =
    care === 'once' || care === 'reconciled' || isGentle
      ? mine.length === theirs.length || (isUnknown && mine.length === 0)
      : mine.length >= theirs.length && theirs.length > 0;
  if (isRight && keys <= 1) return undefined;
  return `call ${name} of '${tool}' (${care}) had ${mine.length} effects under ${keys} keys, not ${theirs.length}`;
}

/** Only a call that cannot be asked about may be unknown, and only when somebody was cut off in it. */
function doubtFaults(
  { unknown, unjustified }: Portrait,
  { undisturbed, isGentle }: Pick<Expectation, 'undisturbed' | 'isGentle'>,
): string[] {
  const careOf = (name: string): string =>
    undisturbed.effects.find((effect) => effect.name === name)?.care ?? 'no effect';
  return [
    ...[...unknown]
      .filter((name) => isGentle || careOf(name) !== 'once')
      .map((name) => `call ${name} (${careOf(name)}) is unknown`),
    ...unjustified.map((name) => `call ${name} is unknown to whoever began it`),
  ];
}
