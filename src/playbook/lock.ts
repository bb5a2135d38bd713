import type { LoopView } from '../tools/injection.ts';
import { saysTrue } from '../tools/says-true.ts';
import type { AnyTool } from '../tools/tool.ts';
import { PLAYBOOKS, type StoredProgress, storedProgress, toProgress } from './playbook-progress.ts';
import { conditionsIn, type UnlockCondition } from './unlock-condition.ts';

/** A tool of a playbook that is not available at first. */
export interface Lock {
  readonly tool: AnyTool;
  readonly condition: UnlockCondition;
  /**
   * Under which a met condition on artifacts is remembered: `{tool}#{place}`, counted among those of the tool. So one that is
   * added behind the others leaves what is remembered of them alone.
   */
  readonly ids: ReadonlyMap<UnlockCondition, string>;
}

/** The lock that a playbook puts on a tool. */
export function toLock(tool: AnyTool, condition: UnlockCondition): Lock {
  const matching = new Set(conditionsIn(condition).filter(({ type }) => type === 'artifact-matching'));
  return { tool, condition, ids: new Map([...matching].map((one, at) => [one, `${tool.name}#${at}`])) };
}

/** What a lock is looked at with. */
export interface Circumstances {
  readonly progress: StoredProgress;
  readonly view: LoopView;
}

/** What the loop of a playbook knows of its progress. */
export const circumstances = (view: LoopView, key: string): Circumstances => ({
  view,
  progress: storedProgress(view.recall(PLAYBOOKS), key),
});

/** Whether the tool is available. Never throws. */
export const isOpen = (lock: Lock, circumstances: Circumstances): boolean =>
  isMet(lock.condition, lock, circumstances);

/** What the model is told of a tool that is not available (PLY-03, PLY-04). */
export const guidance = ({ condition }: Lock, { progress }: Circumstances): string =>
  `This tool is not yet available. ${hint(condition, progress)}`;

function isMet(condition: UnlockCondition, lock: Lock, now: Circumstances): boolean {
  const { progress, view } = now;
  switch (condition.type) {
    case 'after':
      return missing(condition, progress).length === 0;
    case 'artifact':
      return toProgress(progress).produced(condition.of) > 0;
    case 'artifact-matching':
      return progress.met.includes(lock.ids.get(condition) ?? '');
    case 'blackboard':
      return holds(lock.tool, (yes) => view.blackboard.some((entry) => yes(condition.accepts, entry)));
    case 'when':
      return holds(lock.tool, (yes) => yes(condition.holds, toProgress(progress), view));
    case 'all-of':
      return condition.conditions.every((one) => isMet(one, lock, now));
    case 'any-of':
      return condition.conditions.some((one) => isMet(one, lock, now));
  }
}

function hint(condition: UnlockCondition, progress: StoredProgress): string {
  switch (condition.type) {
    case 'after':
      return `You must first use: ${missing(condition, progress).join(', ')}`;
    case 'artifact':
      return `You must first produce an artifact of type: ${condition.of.name}`;
    case 'artifact-matching':
      // Told to produce what it has produced, a model would only do the same again.
      return condition.of && toProgress(progress).produced(condition.of) === 0
        ? `You must first produce an artifact of type: ${condition.of.name}`
        : UNMET;
    case 'blackboard':
    case 'when':
      return UNMET;
    case 'all-of':
      return 'Multiple conditions must be met before this tool is available.';
    case 'any-of':
      return 'At least one prerequisite condition must be met.';
  }
}

const UNMET = 'Prerequisites have not been met yet.';

const missing = ({ names }: UnlockCondition, progress: StoredProgress): readonly string[] =>
  names.filter((name) => toProgress(progress).used(name) === 0);

/** Asks a predicate. */
type Yes = <Args extends readonly unknown[]>(predicate: (...args: Args) => unknown, ...args: Args) => boolean;

/** A predicate that throws would take the whole loop with it; it has not held, and its author is told. */
export function holds({ name }: AnyTool, ask: (yes: Yes) => boolean): boolean {
  try {
    return ask((predicate, ...args) => saysTrue(`an unlock condition of tool '${name}'`, predicate, ...args));
  } catch (thrown) {
    console.error(`holdfast: an unlock condition of tool '${name}' threw`, thrown);
    return false;
  }
}
