import { mapSourceTools } from '../../sources/resolution/resolve-tools.ts';
import { isExactlyTrue, ToolDefinitionError } from '../../tool/check-definition.ts';
import { decorate, getOrigin, unwrapAs } from '../../tool/decorate.ts';
import { literals } from '../../tool/literals.ts';
import { createErrorEntry } from '../../tool/log.ts';
import { describeValue } from '../../tool/shown.ts';
import type { AnyTool, InjectionStrategy, LoopView } from '../../tool/tool.ts';
import {
  getStoredProgress,
  listConditions,
  PLAYBOOK_MEMORY,
  type StoredProgress,
  toProgress,
  type UnlockCondition,
} from './unlock-condition.ts';

/** A lock on one or more tools of a playbook. */
export interface Lock {
  /** The name of the tool, or a label for the tools of a provider. */
  readonly name: string;
  /** The tool, if it is known in advance. */
  readonly tool?: AnyTool | undefined;
  readonly condition: UnlockCondition;
  /**
   * The ids under which met artifact conditions are stored: `{tool}#{index}`, counted per tool. Adding a
   * condition after the others does not change their ids.
   */
  readonly ids: ReadonlyMap<UnlockCondition, string>;
}

/** @throws ToolDefinitionError if an entry of `locked` has an unknown key or no condition. */
export function checkLocked(playbook: string, locked: readonly unknown[]): void {
  for (const [index, entry] of locked.entries()) {
    const stranger = literals?.innerFault(entry, LOCKED_SHAPE);
    const { unlockedBy } = Object(entry);
    const problem = stranger
      ? `has '${stranger.path}'. Use ${stranger.use}`
      : typeof Object(unlockedBy).type !== 'string' &&
        `has ${describeValue(unlockedBy)} as its 'unlockedBy'. Use a condition, as in after('name')`;
    if (problem)
      throw new ToolDefinitionError(playbook, 'locked', `its locked tool at index ${index} ${problem}.`);
  }
}

const LOCKED_SHAPE = { keys: ['tool', 'unlockedBy'] };

/** Creates a lock. `id` is the prefix of its conditions' ids. */
export function toLock(
  locked: Pick<Lock, 'name' | 'tool'>,
  condition: UnlockCondition,
  id = locked.name,
): Lock {
  const matching = new Set(listConditions(condition).filter(({ type }) => type === 'artifact-matching'));
  return { ...locked, condition, ids: new Map([...matching].map((one, at) => [one, `${id}#${at}`])) };
}

/** Locks the tools that a source adds. */
export const withLock = (source: InjectionStrategy, lock: Lock): InjectionStrategy =>
  mapSourceTools(source, (tool): LockedTool => ({ ...decorate(tool, {}), [LOCK]: lock }));

/** The key for the lock of a tool that was not known in advance. */
const LOCK: unique symbol = Symbol('holdfast.lock');

interface LockedTool extends AnyTool {
  readonly [LOCK]: Lock;
}

const isLocked = (tool: AnyTool): tool is LockedTool => LOCK in tool;

/** The data that decides whether a lock is open. */
interface LockContext {
  readonly progress: StoredProgress;
  readonly view: LoopView;
}

/** Returns the progress of a playbook as its loop knows it. */
export const readLockContext = (view: LoopView, key: string): LockContext => ({
  view,
  progress: getStoredProgress(view.recall(PLAYBOOK_MEMORY), key),
});

/** Returns `true` if the tool is available. Never throws. */
export const isOpen = (lock: Lock, circumstances: LockContext): boolean =>
  isMet(lock.condition, lock, circumstances);

/**
 * Returns `true` if earlier progress has opened a lock, without a loop. Conditions that need the loop count
 * as unmet.
 */
export const isOpened = (lock: Lock, progress: StoredProgress): boolean =>
  isMet(lock.condition, lock, { progress });

/** Returns the text for the model about a locked tool. */
export const describeLock = (lock: Lock, now: LockContext): string =>
  `This tool is not yet available. ${describeHint(lock.condition, lock, now)}`;

function isMet(
  condition: UnlockCondition,
  lock: Lock,
  now: Partial<LockContext> & Pick<LockContext, 'progress'>,
): boolean {
  const { progress, view } = now;
  switch (condition.type) {
    case 'after':
      return listMissingNames(condition, progress).length === 0;
    case 'artifact':
      return toProgress(progress).produced(condition.of) > 0;
    case 'artifact-matching':
      return progress.met.includes(lock.ids.get(condition) ?? '');
    case 'blackboard':
      return (
        view !== undefined &&
        evaluateSafely(lock, view, (yes) => view.blackboard.some((entry) => yes(condition.accepts, entry)))
      );
    case 'when':
      return (
        view !== undefined &&
        evaluateSafely(lock, view, (yes) => yes(condition.holds, toProgress(progress), view))
      );
    case 'all-of':
      return condition.conditions.every((one) => isMet(one, lock, now));
    case 'any-of':
      return condition.conditions.some((one) => isMet(one, lock, now));
  }
}

function describeHint(condition: UnlockCondition, lock: Lock, now: LockContext): string {
  const { progress } = now;
  switch (condition.type) {
    case 'after':
      return `You must first use: ${listMissingNames(condition, progress).join(', ')}`;
    case 'artifact':
      return `You must first produce an artifact of type: ${condition.of.name}`;
    case 'artifact-matching':
      // A model that is asked for an artifact again would only repeat its call.
      return condition.of && toProgress(progress).produced(condition.of) === 0
        ? `You must first produce an artifact of type: ${condition.of.name}`
        : UNMET_MESSAGE;
    case 'blackboard':
    case 'when':
      return UNMET_MESSAGE;
    case 'all-of':
      return joinSentences(
        condition.conditions
          .filter((one) => !isMet(one, lock, now))
          .map((one) => describeHint(one, lock, now)),
      );
    case 'any-of':
      return 'At least one prerequisite condition must be met.';
  }
}

/** Joins hints without duplicates, because several conditions can have the same text. */
const joinSentences = (hints: readonly string[]): string =>
  [...new Set(hints)].map((one) => one.replace(/\.$/, '')).join('. ');

const UNMET_MESSAGE = 'Prerequisites have not been met yet.';

const listMissingNames = ({ names }: UnlockCondition, progress: StoredProgress): readonly string[] =>
  names.filter((name) => toProgress(progress).used(name) === 0);

/**
 * Returns the text for the model about the locks that are closed at the start of its loop, and their
 * prerequisites. The text does not change with progress, because newer models check the text before their
 * replies.
 */
export const describePrerequisites = (locks: readonly Lock[]): string =>
  [
    'Some tools have prerequisites. One that is called before they are met does nothing, and answers what is missing:',
    ...locks.map(({ name, condition }) => `- ${name}: first ${describeCondition(condition)}`),
    'Use the tools that are needed first, and then those that they have made available.',
  ].join('\n');

function describeCondition(condition: UnlockCondition): string {
  switch (condition.type) {
    case 'after':
      return condition.names.map((name) => `use ${name}`).join(' and ');
    case 'artifact':
      return `produce an artifact of type ${condition.of.name}`;
    case 'artifact-matching':
      return `produce an artifact ${condition.of ? `of type ${condition.of.name} ` : ''}that meets a condition`;
    case 'blackboard':
      return `have ${condition.of ? `an object of type ${condition.of.name}` : 'an entry'} on the blackboard that meets a condition`;
    case 'when':
      return 'meet a condition on what has been done';
    case 'all-of':
      return condition.conditions.map(wrapInBrackets).join(' and ');
    case 'any-of':
      return condition.conditions.map(wrapInBrackets).join(' or ');
  }
}

/** Adds brackets to a compound condition among others. */
const wrapInBrackets = (condition: UnlockCondition, _at: number, all: readonly UnlockCondition[]): string => {
  const isSeveral = listConditions(condition).length > 1 || condition.names.length > 1;
  return all.length > 1 && isSeveral ? `(${describeCondition(condition)})` : describeCondition(condition);
};

/** Evaluates a predicate. */
type PredicateEvaluator = <Args extends readonly unknown[]>(
  predicate: (...args: Args) => unknown,
  ...args: Args
) => boolean;

/**
 * Evaluates a predicate without failing the loop. If it throws, it counts as unmet and the error is logged.
 */
export function evaluateSafely(
  { name }: Pick<Lock, 'name'>,
  { log }: Pick<LoopView, 'log'>,
  ask: (yes: PredicateEvaluator) => boolean,
): boolean {
  try {
    return ask((predicate, ...args) =>
      isExactlyTrue({ whose: `an unlock condition of tool '${name}'`, log }, predicate, ...args),
    );
  } catch (thrown) {
    log(createErrorEntry(`an unlock condition of tool '${name}' threw`, thrown));
    return false;
  }
}

/**
 * @throws ToolDefinitionError if two tools share a name, if a condition is empty or names a tool outside the
 * playbook, or if a tool can never be unlocked.
 */
export function checkLocks(playbook: string, open: readonly AnyTool[], locks: readonly Lock[]): void {
  const refuse = (problem: string): never => {
    throw new ToolDefinitionError(playbook, 'locked', problem);
  };
  const names = new Set(open.map(({ name }) => name));
  for (const { name, tool } of locks) {
    if (!tool) continue;
    if (names.has(name)) refuse(`it has more than one tool '${name}'${literals?.renameOne() ?? ''}.`);
    names.add(name);
  }
  for (const { name, condition } of locks) {
    const unknown = condition.names.find((one) => !names.has(one));
    if (unknown !== undefined)
      refuse(`'${name}' is unlocked by '${unknown}', which is not one of its tools.`);
    if (listConditions(condition).some(isEmpty)) refuse(`a condition of '${name}' is empty.`);
  }
  const stuck = findNeverUnlocked(open, locks).map(({ name }) => `'${name}'`);
  if (stuck.length > 0)
    refuse(`${stuck.join(', ')} can never be unlocked, since each waits for itself or another of them.`);
}

const isEmpty = (condition: UnlockCondition): boolean =>
  condition.type === 'after'
    ? condition.names.length === 0
    : 'conditions' in condition && condition.conditions.length === 0;

/** Returns the locks that stay closed even if all other tools are used. */
function findNeverUnlocked(open: readonly AnyTool[], locks: readonly Lock[]): readonly Lock[] {
  const usable = new Set(open.map(({ name }) => name));
  let left = locks;
  for (;;) {
    const opened = left.filter(({ condition }) => canBeMet(condition, usable));
    if (opened.length === 0) return left;
    for (const { name } of opened) usable.add(name);
    left = left.filter((lock) => !opened.includes(lock));
  }
}

function canBeMet(condition: UnlockCondition, usable: ReadonlySet<string>): boolean {
  switch (condition.type) {
    case 'after':
      return condition.names.every((name) => usable.has(name));
    case 'all-of':
      return condition.conditions.every((one) => canBeMet(one, usable));
    case 'any-of':
      return condition.conditions.some((one) => canBeMet(one, usable));
    default:
      return true;
  }
}

/** The locks of a playbook, by the original tools. */
export type Locks = ReadonlyMap<AnyTool, Lock>;

/**
 * Returns the lock that blocks a tool: its own, or that of the unfolding tool that contains it. An unfolding
 * tool may have been opened for another key, or before a reset of the playbook. Its current lock then blocks
 * its inner tools. If several unfolding tools contain a tool, one open lock is enough.
 */
function findBlockingLock(tool: AnyTool, locks: Locks, isShut: (lock: Lock) => boolean): Lock | undefined {
  const own =
    locks.get(unwrapAs(tool, (one): one is AnyTool => locks.has(one)) ?? tool) ??
    unwrapAs(tool, isLocked)?.[LOCK];
  if (own && isShut(own)) return own;
  const origin = getOrigin(tool);
  if (!origin || origin.wasThere) return undefined;
  const ways = origin.by.map((unfolding) => findBlockingLock(unfolding, locks, isShut));
  return ways.includes(undefined) ? undefined : ways[0];
}

/** Returns the first lock that blocks one of these tools. */
export function findFirstBlockingLock(
  tools: readonly AnyTool[],
  locks: Locks,
  isShut: (lock: Lock) => boolean,
): Lock | undefined {
  for (const tool of tools) {
    const lock = findBlockingLock(tool, locks, isShut);
    if (lock) return lock;
  }
  return undefined;
}
