import { ROOT } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import type { Json } from '../../tool/json.ts';
import { createModule, useOf } from '../../tool/module-use.ts';
import type { LoopView } from '../../tool/tool.ts';
import { factOf, type MemoryFact, type MemoryPlace, type ToolMemory } from '../../tool/tool-memory.ts';
import type { ResultData } from '../../tool/tool-result.ts';

/** One object whose tools are offered. Its JSON is a part of the result that it came with, which the journal keeps once. */
export type Binding = Place & Slot & Source;

/** Says where a binding is kept: for the session under the path of its loop, and for each key of a keyed loop apart. */
type Place = {
  readonly path: string;
  readonly key: string;
  /** The call that opened the nested loop, while it runs; empty for the turn's own, and once the loop has ended. */
  readonly frame: string;
};

/** Says as what an object is bound. A binding takes the place of the one before it in the same slot. */
type Slot =
  /** The current object of its type, or of any type. */
  | { readonly as: 'one' | 'any'; readonly type: string }
  | {
      /** One of several objects of its type. */
      readonly as: 'many';
      readonly type: string;
      readonly id: string;
      /** Their own names, as they were when it was found. */
      readonly tools: readonly string[];
      /** The tools that are kept of all objects of the type. */
      readonly max: number;
      /** Which one it is in a row of objects whose tools have returned it. Defaults to 1. */
      readonly depth?: number;
    };

/**
 * Says where an object came from: `at` is its place in the list that a call returned, or -1 when it was returned by
 * itself.
 */
type Source = { readonly call: string; readonly at: number; readonly value: Json };

/** All objects of a session, of which the newest of a place comes last. */
export type Bindings = readonly (Binding | Inherited)[];

/** A nested loop found it when it began, so it is not its own to leave behind. */
type Inherited = Binding & { readonly inherited: true };

/** What a call says of its artifact; the value itself is the call's result. */
export type ChainingFact =
  | { readonly as: 'one' | 'any'; readonly key: string; readonly type: string }
  | {
      readonly as: 'many';
      readonly key: string;
      readonly type: string;
      /** The tools that are kept of all its objects. */
      readonly max: number;
      readonly objects: readonly FoundObject[];
    }
  /** The loop of this key begins anew. */
  | { readonly as: 'none'; readonly key: string };

/** An object that was discovered, as the journal tells of it. */
export type FoundObject = {
  readonly at: number;
  readonly id: string;
  readonly tools: readonly string[];
  readonly depth?: number;
};

/** Remembers the objects that the loops of a session have been given. */
export const BINDINGS: ToolMemory<Bindings, ChainingFact> = {
  name: 'chaining',
  folding: FOLDING,
  scope: 'session',
  when: 'batch',
  initial: [],
  apply(bindings, fact, { path, frame, call, result }) {
    const { key } = fact;
    const place = { path, key, frame };
    switch (fact.as) {
      case 'none':
        return bindings.filter((one) => one.path !== path || one.key !== key);
      case 'one':
      case 'any': {
        const value = valueAt(result, -1);
        const { as, type } = fact;
        return value === undefined ? bindings : put(bindings, { ...place, as, type, call, at: -1, value });
      }
      case 'many': {
        const { as, type, objects, max } = fact;
        const found = objects.flatMap(({ at, id, tools, ...deep }): Binding[] => {
          const value = valueAt(result, at);
          return value === undefined
            ? []
            : [{ ...place, as, type, id, tools, max, call, at, value, ...deep }];
        });
        return found.reduce(put, bindings);
      }
    }
  },
  observe(bindings, moment) {
    switch (moment.type) {
      case 'loop-opened':
        return opened(bindings, moment);
      case 'call-ended':
        return closed(bindings, (frame) => frame === moment.call);
      case 'turn-ended':
        return closed(bindings, (frame) => frame !== ROOT);
      default:
        return bindings;
    }
  },
};

/** The module of chaining. */
export const CHAINING_MODULE = createModule({ name: 'chaining', state: [BINDINGS] });

/** The module by itself, which chains nothing. */
export const CHAINING = useOf(CHAINING_MODULE);

/** Makes the fact of a loop that begins anew: nothing that was bound under its key holds. */
export const forgetBindings = (key: string): MemoryFact => factOf(BINDINGS, { as: 'none', key });

/** Lists what a loop has been given, as far as this view goes. */
export const boundNow = ({
  key,
  view,
}: {
  readonly key: string;
  readonly view: LoopView;
}): readonly Binding[] => boundIn(view.recall(BINDINGS), { path: view.path, frame: view.frame, key });

/** Lists what one loop has been given, oldest first. */
export const boundIn = (
  bindings: Bindings,
  place: { readonly path: string; readonly key: string; readonly frame: string },
): readonly Binding[] => bindings.filter((one) => isAt(one, place));

const isAt = (one: Place, { path, key, frame }: Place): boolean =>
  one.frame === frame && one.path === path && one.key === key;

/** Puts a binding in place of what it replaces, and after all others. */
function put(bindings: Bindings, binding: Binding): Bindings {
  const others = bindings.filter((one) => !isAt(one, binding) || !isSameSlot(one, binding));
  return binding.as === 'many' ? newest([...others, binding], binding) : [...others, binding];
}

/** Tells whether one takes the place of the other. */
export function isSameSlot(a: Slot, b: Slot): boolean {
  if (a.as === 'any' || b.as === 'any') return a.as === b.as;
  if (a.type !== b.type) return false;
  return a.as === 'many' && b.as === 'many' ? a.id === b.id : a.as === b.as;
}

/** Leaves out the oldest objects of a type when there are too many tools of them; the newest object always stays. */
function newest(bindings: Bindings, last: Extract<Binding, { readonly as: 'many' }>): Bindings {
  let room = last.max;
  const kept = bindings.toReversed().filter((one) => {
    if (one.as !== 'many' || one.type !== last.type || !isAt(one, last)) return true;
    const stays = one === last || one.tools.length <= room;
    room = stays ? room - one.tools.length : 0;
    return stays;
  });
  return kept.length === bindings.length ? bindings : kept.toReversed();
}

/**
 * Loops of one path may run at the same time, and what one of them retrieves must not become what another acts on. So
 * each begins with what there is, and leaves to the session what it was given itself.
 */
function opened(bindings: Bindings, { frame, path: opens }: MemoryPlace): Bindings {
  const found = bindings.filter(({ path, frame: of }) => of === ROOT && path === opens);
  if (found.length === 0) return bindings;
  return [...bindings, ...found.map((one): Inherited => ({ ...one, frame, inherited: true }))];
}

function closed(bindings: Bindings, isClosed: (frame: string) => boolean): Bindings {
  const ended = bindings.filter(({ frame }) => isClosed(frame));
  if (ended.length === 0) return bindings;
  const others = bindings.filter(({ frame }) => !isClosed(frame));
  return ended
    .filter((one) => !('inherited' in one))
    .map((one) => ({ ...one, frame: ROOT }))
    .reduce(put, others);
}

/** Reads a value of a result. JSON has no `undefined`, so that stands for a place which the result does not have. */
function valueAt(result: ResultData | undefined, at: number): Json | undefined {
  if (result?.type !== 'artifact') return undefined;
  if (at === -1) return result.value;
  return Array.isArray(result.value) ? result.value[at] : undefined;
}
