import { ROOT } from '../../journal/events.ts';
import { FOLDING } from '../../journal/memory-folding.ts';
import type { Json } from '../../tool/json.ts';
import { createModule, createUse } from '../../tool/module-use.ts';
import type { LoopView } from '../../tool/tool.ts';
import { createFact, type MemoryFact, type MemoryPlace, type ToolMemory } from '../../tool/tool-memory.ts';
import type { ResultData } from '../../tool/tool-result.ts';

/** An object whose tools are offered. Its JSON is part of a call's result, which the journal stores once. */
export type Binding = BindingPlace & BindingSlot & BindingSource;

/** The place of a binding: the session, the path of its loop, and the key of a keyed loop. */
type BindingPlace = {
  readonly path: string;
  readonly key: string;
  /**
   * The id of the call that opened the nested loop, while the loop runs. Empty for the turn's own loop, and
   * after the nested loop has ended.
   */
  readonly frame: string;
};

/** The role in which an object is bound. A binding replaces the one before it in the same slot. */
type BindingSlot =
  /** The current object of its type, or of any type. */
  | { readonly as: 'one' | 'any'; readonly type: string }
  | {
      /** One of several objects of its type. */
      readonly as: 'many';
      readonly type: string;
      readonly id: string;
      /** The names of its own tools at the time it was found. */
      readonly tools: readonly string[];
      /** The maximum number of tools for all objects of the type. */
      readonly max: number;
      /** Its position in a chain of objects whose tools returned one another. Defaults to 1. */
      readonly depth?: number;
    };

/**
 * The origin of an object. `at` is its index in the list that a call returned, or -1 if the call returned a
 * single object.
 */
type BindingSource = { readonly call: string; readonly at: number; readonly value: Json };

/** All objects of a session. Within each place, the newest object comes last. */
export type Bindings = readonly (Binding | InheritedBinding)[];

/** A copy that a nested loop received at its start. It is not stored back when the loop ends. */
type InheritedBinding = Binding & { readonly inherited: true };

/** The journaled fact about a call's artifact. The value itself is in the call's result. */
export type ChainingFact =
  | { readonly as: 'one' | 'any'; readonly key: string; readonly type: string }
  | {
      readonly as: 'many';
      readonly key: string;
      readonly type: string;
      /** The maximum number of tools for all its objects. */
      readonly max: number;
      readonly objects: readonly FoundObject[];
    }
  /** Clears the loop with this key. */
  | { readonly as: 'none'; readonly key: string };

export type FoundObject = {
  readonly at: number;
  readonly id: string;
  readonly tools: readonly string[];
  readonly depth?: number;
};

/** Stores the objects that the loops of a session have received. */
export const BINDING_MEMORY: ToolMemory<Bindings, ChainingFact> = {
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
        const value = findValueAt(result, -1);
        const { as, type } = fact;
        return value === undefined
          ? bindings
          : replaceBinding(bindings, { ...place, as, type, call, at: -1, value });
      }
      case 'many': {
        const { as, type, objects, max } = fact;
        const found = objects.flatMap(({ at, id, tools, ...deep }): Binding[] => {
          const value = findValueAt(result, at);
          return value === undefined
            ? []
            : [{ ...place, as, type, id, tools, max, call, at, value, ...deep }];
        });
        return found.reduce(replaceBinding, bindings);
      }
    }
  },
  observe(bindings, moment) {
    switch (moment.type) {
      case 'loop-opened':
        return inheritBindings(bindings, moment);
      case 'call-ended':
        return closeBindings(bindings, (frame) => frame === moment.call);
      case 'turn-ended':
        return closeBindings(bindings, (frame) => frame !== ROOT);
      default:
        return bindings;
    }
  },
};

export const CHAINING_MODULE = createModule({ name: 'chaining', state: [BINDING_MEMORY] });

/** The module without entries, which offers no tools. */
export const CHAINING_USE = createUse(CHAINING_MODULE);

/** Returns the fact that clears all bindings of a key. */
export const createForgetFact = (key: string): MemoryFact => createFact(BINDING_MEMORY, { as: 'none', key });

/** Returns the objects that a loop has received, as of this view. */
export const getCurrentBindings = ({
  key,
  view,
}: {
  readonly key: string;
  readonly view: LoopView;
}): readonly Binding[] =>
  listBindingsAt(view.recall(BINDING_MEMORY), { path: view.path, frame: view.frame, key });

/** Returns the objects that one loop has received, oldest first. */
export const listBindingsAt = (
  bindings: Bindings,
  place: { readonly path: string; readonly key: string; readonly frame: string },
): readonly Binding[] => bindings.filter((one) => isAt(one, place));

const isAt = (one: BindingPlace, { path, key, frame }: BindingPlace): boolean =>
  one.frame === frame && one.path === path && one.key === key;

/** Replaces the binding in the same slot and moves the new one to the end. */
function replaceBinding(bindings: Bindings, binding: Binding): Bindings {
  const others = bindings.filter((one) => !isAt(one, binding) || !isSameSlot(one, binding));
  return binding.as === 'many' ? dropOldest([...others, binding], binding) : [...others, binding];
}

/** Returns `true` if one slot replaces the other. */
export function isSameSlot(a: BindingSlot, b: BindingSlot): boolean {
  if (a.as === 'any' || b.as === 'any') return a.as === b.as;
  if (a.type !== b.type) return false;
  return a.as === 'many' && b.as === 'many' ? a.id === b.id : a.as === b.as;
}

/** Drops the oldest objects of a type if they have too many tools. The newest object is always kept. */
function dropOldest(bindings: Bindings, last: Extract<Binding, { readonly as: 'many' }>): Bindings {
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
 * Copies the session's bindings into a loop at its start. Loops with the same path can run at the same time,
 * and an object that one retrieves must not affect the others. At its end, each loop stores back only the
 * objects that it received itself.
 */
function inheritBindings(bindings: Bindings, { frame, path: opens }: MemoryPlace): Bindings {
  const found = bindings.filter(({ path, frame: of }) => of === ROOT && path === opens);
  if (found.length === 0) return bindings;
  return [...bindings, ...found.map((one): InheritedBinding => ({ ...one, frame, inherited: true }))];
}

function closeBindings(bindings: Bindings, isClosed: (frame: string) => boolean): Bindings {
  const ended = bindings.filter(({ frame }) => isClosed(frame));
  if (ended.length === 0) return bindings;
  const others = bindings.filter(({ frame }) => !isClosed(frame));
  return ended
    .filter((one) => !('inherited' in one))
    .map((one) => ({ ...one, frame: ROOT }))
    .reduce(replaceBinding, others);
}

/**
 * Reads a value from a result. Returns `undefined`, which JSON cannot contain, if the result has no value
 * there.
 */
function findValueAt(result: ResultData | undefined, at: number): Json | undefined {
  if (result?.type !== 'artifact') return undefined;
  if (at === -1) return result.value;
  return Array.isArray(result.value) ? result.value[at] : undefined;
}
