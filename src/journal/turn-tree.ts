/**
 * A tree of turns: all turns that turns start after one message of a person, a webhook, a cron or code of the
 * app.
 */
import type { OptionalTreePlace } from '../tool/call-origin.ts';
import type { ScheduledMessage } from './events.ts';
import { sumTokens } from './spending.ts';
import type { Fold, SessionState, TurnState, TurnTree } from './state.ts';

const NEW_TREE: TurnTree = { count: 0, pending: 0, tokens: 0 };

/**
 * The maximum number of remembered trees without a waiting turn. Messages of other sessions can still add
 * turns to them.
 */
const MAX_IDLE_TREES = 100;

/** Returns the tree of a turn. It is empty if the turn has not started another. */
export const getTree = (
  { trees }: Pick<SessionState, 'trees'>,
  { root }: Pick<TurnState, 'root'>,
): TurnTree => trees.get(root) ?? NEW_TREE;

/** Adds a starting turn to its tree. Returns the root, and the tokens that the tree used before this turn. */
export function enterTree(
  state: SessionState,
  { turn, root = turn, generation = 0, count }: { readonly turn: string } & OptionalTreePlace,
): Pick<TurnState, 'root' | 'generation' | 'before'> {
  if (state.recurring === turn) state.recurring = undefined;
  if (root === turn) return { root, generation, before: 0 };
  const tree = getTree(state, { root });
  const pending = count === undefined ? tree.pending - 1 : tree.pending;
  keepTree(state, root, { ...tree, pending, count: Math.max(tree.count, count ?? 0) });
  return { root, generation, before: tree.tokens };
}

/** Counts the turns that a call scheduled or sent to other sessions. */
export function countStarted(
  { state, turn }: Pick<Fold, 'state' | 'turn'>,
  scheduled: readonly ScheduledMessage[] = [],
  sent = 0,
): void {
  const recurring = scheduled.find((one) => one.recurring);
  if (recurring) state.recurring = recurring.turn;
  const added = scheduled.filter((one) => !one.recurring).length;
  turn.scheduled += added;
  if (added + sent === 0) return;
  const tree = getTree(state, turn);
  keepTree(state, turn.root, {
    ...tree,
    count: tree.count + added + sent,
    pending: tree.pending + added,
  });
}

/** Adds the usage of an ending turn to its tree. */
export function leaveTree({ state, turn }: Pick<Fold, 'state' | 'turn'>): void {
  const tree = state.trees.get(turn.root);
  if (tree) keepTree(state, turn.root, { ...tree, tokens: turn.before + sumTokens(turn.usage) });
}

/**
 * Makes the open turn the root of a new tree, after a person steered it or decided about one of its calls.
 * Waiting turns remain in the tree in which they were scheduled.
 */
export function startNewTree({ state, turn }: Pick<Fold, 'state' | 'turn'>): void {
  const own = state.trees.get(turn.id);
  if (own) state.trees.set(turn.id, { ...own, count: 0 });
  Object.assign(turn, { root: turn.id, generation: 0, before: 0, scheduled: 0 });
}

/**
 * Handles a steered message. A message from a call of another turn has its own place in a tree, and does not
 * make a new root.
 */
export function foldSteered(
  fold: Pick<Fold, 'state' | 'turn'>,
  { generation, count }: OptionalTreePlace,
): void {
  const { state, turn } = fold;
  if (generation === undefined) {
    startNewTree(fold);
    return;
  }
  turn.generation = Math.max(turn.generation, generation);
  const tree = getTree(state, turn);
  keepTree(state, turn.root, { ...tree, count: Math.max(tree.count, count ?? 0) });
}

/** Stores a tree as the most recently changed, and drops the oldest trees without waiting turns. */
function keepTree({ trees }: SessionState, root: string, tree: TurnTree): void {
  trees.delete(root);
  trees.set(root, tree);
  const idle = [...trees].filter(([, { pending }]) => pending <= 0);
  for (const [old] of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_TREES))) trees.delete(old);
}
