import type { LoopView, NotedCall } from '../tools/injection.ts';
import type { Json } from '../tools/json.ts';
import { BINDINGS, boundIn, type ChainingFact } from './bindings.ts';
import type { DiscoveredType } from './discover.ts';
import { foundName, foundNames } from './found-names.ts';
import { lookThrough } from './look-through.ts';
import { boundNow, type KeyedChain } from './offer-bound.ts';

/** A call that returned objects of a type that is discovered. */
interface Returned {
  readonly call: NotedCall;
  readonly value: Json;
}

type FoundFact = Extract<ChainingFact, { readonly as: 'many' }>;

/** What is remembered of it, and what the model is told. */
interface FoundNote {
  readonly fact?: FoundFact | undefined;
  readonly remark?: string | undefined;
}

/** Names that a remark lists; a model needs no more to see the point. */
const MAX_LISTED = 20;

/** What a loop remembers of the objects among what a call returned. */
export function noteFound(
  keyed: KeyedChain,
  discovered: DiscoveredType,
  { call, value }: Returned,
  view: LoopView,
): FoundNote {
  const { type, max, hint } = discovered;
  const { objects, left, problems } = lookThrough(discovered, value, view);
  for (const [problem, count] of problems) {
    const times = count > 1 ? ` (${count} objects)` : '';
    console.warn(`holdfast: a result of '${call.tool.name}' brings no tools: ${problem}${times}`);
  }
  if (objects.length === 0) return {};
  const fact: FoundFact = { as: 'many', key: keyed.key, type: type.name, max, objects };
  const { added, dropped } = comparedWith(keyed, { fact, call }, view);
  const leftOut = left.flatMap((id) => namesFor(keyed, discovered, id));
  const remarks = [
    ...(hint && added.length > 0 ? [`_availableOperations: ${added.join(', ')}`] : []),
    ...(dropped.length + leftOut.length > 0 ? [tooMany(discovered, [...dropped, ...leftOut])] : []),
  ];
  return { fact, remark: remarks.length > 0 ? remarks.join('\n\n') : undefined };
}

/** What this call changes in the names that are offered; calls beside it in its batch are not known yet. */
function comparedWith(
  { chain, key }: KeyedChain,
  { fact, call }: { readonly fact: FoundFact; readonly call: NotedCall },
  view: LoopView,
): { readonly added: readonly string[]; readonly dropped: readonly string[] } {
  const { turn, frame, path } = view;
  const bindings = view.recall(BINDINGS);
  const place = { turn, frame, path, call: call.id, result: call.result, at: 0 };
  const next = BINDINGS.apply?.(bindings, fact, place) ?? bindings;
  const before = foundNames(chain, boundNow({ chain, key }, view));
  const after = foundNames(chain, boundIn(next, { path, frame, key }));
  return {
    added: [...after].flatMap(([name, { binding }]) => (binding.call === call.id ? name : [])),
    dropped: [...before.keys()].filter((name) => !after.has(name)),
  };
}

/** The names that the tools of an object would have, which were not made. */
const namesFor = ({ chain }: KeyedChain, discovered: DiscoveredType, id: string): readonly string[] =>
  discovered.type.objects.declared.map(({ name: tool }) => foundName(chain.many, discovered, { id, tool }));

/** The model must not take what it is not offered for what does not exist (TPR-07). */
function tooMany({ type, max }: DiscoveredType, names: readonly string[]): string {
  const all = [...new Set(names)];
  const more = all.length > MAX_LISTED ? ` and ${all.length - MAX_LISTED} more` : '';
  const listed = all.slice(0, MAX_LISTED).join(', ');
  return `Only the newest ${max} tools of ${type.name} objects are offered. Not offered: ${listed}${more}.`;
}
