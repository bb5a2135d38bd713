import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/index.ts';
import type { FactPlace, SessionMoment } from '../../../../src/module.ts';
import {
  BINDING_MEMORY,
  type Bindings,
  type ChainingFact,
  createForgetFact,
  listBindingsAt,
} from '../../../doors/kinds.ts';

/** Folds one fact of a call that returned this value. Also checks that the input is unchanged. */
function foldFact(
  bindings: Bindings,
  fact: ChainingFact,
  value: Json = {},
  place: Partial<FactPlace> = {},
): Bindings {
  const before = structuredClone(bindings);
  const at = {
    turn: 't',
    frame: '',
    path: 'a',
    call: 't.2.0',
    at: 0,
    result: { type: 'artifact', value },
    ...place,
  } as const;
  const after = BINDING_MEMORY.apply?.(bindings, fact, at) ?? [];
  expect(bindings).toEqual(before);
  expect(JSON.parse(JSON.stringify(after))).toEqual(after);
  return after;
}

const createOneFact = (type: string, key = ''): ChainingFact => ({ as: 'one', key, type });
const createManyFact = (ids: readonly string[], max = 64): ChainingFact => ({
  as: 'many',
  key: '',
  type: 'T',
  max,
  objects: ids.map((id, at) => ({ at, id, tools: ['x', 'y'] })),
});

/** Formats each binding in one line. */
const formatBindings = (bindings: Bindings): string[] =>
  bindings.map(
    (at) =>
      `${at.path}${at.frame && `[${at.frame}]`} ${at.as} ${at.as === 'many' ? at.id : at.type} ${JSON.stringify(at.value)}`,
  );

const observe = (bindings: Bindings, moment: Partial<SessionMoment>): Bindings =>
  BINDING_MEMORY.observe?.(bindings, moment as SessionMoment) ?? []; // `observe` reads only these properties.
const openLoop = (bindings: Bindings, frame: string, path = 'a/b') =>
  observe(bindings, { type: 'loop-opened', frame, path });
const closeLoop = (bindings: Bindings, call: string) => observe(bindings, { type: 'call-ended', call });
const createPlaceInB = (frame: string) => ({ frame, path: 'a/b' });

describe('bindings', () => {
  it('keep one object per type, one for chainAny and one per id, with the newest last', () => {
    let bindings = foldFact([], createOneFact('T'), 1);
    bindings = foldFact(bindings, { as: 'any', key: '', type: 'T' }, 2);
    bindings = foldFact(bindings, createManyFact(['i', 'j']), [3, 4]);
    bindings = foldFact(bindings, createOneFact('U'), 5);
    bindings = foldFact(bindings, createOneFact('T'), 6);
    bindings = foldFact(bindings, { as: 'any', key: '', type: 'U' }, 7);
    bindings = foldFact(bindings, createManyFact(['i']), [8]);
    expect(formatBindings(bindings)).toEqual([
      'a many j 4',
      'a one U 5',
      'a one T 6',
      'a any U 7',
      'a many i 8',
    ]);
  });

  it.each(['__proto__', 'constructor', '', 'a b', '\ud800'])(
    'distinguish %j from other names as a path, a key and an id',
    (name) => {
      let bindings = foldFact([], createOneFact('T', name), 1, { path: name });
      bindings = foldFact(bindings, createOneFact('T', 'other'), 2, { path: name });
      bindings = foldFact(bindings, createManyFact([name, `${name}.`]), [3, 4]);
      expect(
        listBindingsAt(bindings, { path: name, key: name, frame: '' }).map(({ value }) => value),
      ).toEqual([1]);
      expect(listBindingsAt(bindings, { path: 'a', key: '', frame: '' }).map(({ value }) => value)).toEqual([
        3, 4,
      ]);
    },
  );

  it('keep only as many tools as the type allows, from the newest objects (TPR-07)', () => {
    const bindings = foldFact(
      foldFact([], createManyFact(['a', 'b']), [1, 2]),
      createManyFact(['c', 'd'], 4),
      [3, 4],
    );
    expect(formatBindings(bindings)).toEqual(['a many c 3', 'a many d 4']);
    expect(formatBindings(foldFact(bindings, createManyFact(['e'], 5), [5]))).toEqual([
      'a many d 4',
      'a many e 5',
    ]);
    expect(formatBindings(foldFact(bindings, createManyFact(['e'], 1), [5]))).toEqual(['a many e 5']);
  });

  it('stay unchanged if the result is no artifact, or has no value at the recorded position', () => {
    const bindings = foldFact([], createOneFact('T'), 1);
    const text = { result: { type: 'text', content: 'x' } } as const;
    expect(foldFact(bindings, createOneFact('T'), 2, text)).toEqual(bindings);
    expect(foldFact(bindings, createManyFact(['i']), {})).toEqual(bindings);
    expect(foldFact(bindings, createManyFact(['i', 'j']), [2])).toHaveLength(2);
  });

  it('are dropped for the path and key of a restarted loop', () => {
    let bindings = foldFact([], createOneFact('T', 'k'), 1);
    bindings = foldFact(bindings, createOneFact('T', 'l'), 2);
    bindings = foldFact(bindings, createOneFact('T', 'k'), 3, { path: 'a/b' });
    const { slice, fact } = createForgetFact('k');
    expect(slice).toBe(BINDING_MEMORY.name);
    expect(formatBindings(foldFact(bindings, fact as ChainingFact))).toEqual(['a one T 2', 'a/b one T 3']); // The fact of the restart itself.
  });

  it("are copied to a nested loop when it starts, and the loop's own bindings are copied back when it ends", () => {
    let bindings = foldFact(foldFact([], createOneFact('T'), 0), createOneFact('T'), 1, createPlaceInB(''));
    bindings = foldFact(bindings, createOneFact('U'), 2, createPlaceInB(''));
    bindings = openLoop(openLoop(bindings, 'f'), 'g');
    bindings = foldFact(bindings, createOneFact('T'), 3, createPlaceInB('f'));
    bindings = closeLoop(bindings, 'f');
    const inG = listBindingsAt(bindings, { path: 'a/b', key: '', frame: 'g' });
    expect(formatBindings(inG)).toEqual(['a/b[g] one T 1', 'a/b[g] one U 2']);
    bindings = closeLoop(bindings, 'g');
    expect(formatBindings(bindings)).toEqual(['a one T 0', 'a/b one U 2', 'a/b one T 3']);
    expect(bindings.some((binding) => 'inherited' in binding)).toBe(false);
  });

  it('do not exceed the maximum number of tools when a nested loop copies them back', () => {
    let bindings = openLoop(foldFact([], createManyFact(['a', 'b'], 4), [1, 2], createPlaceInB('')), 'f');
    bindings = foldFact(bindings, createManyFact(['c'], 4), [3], createPlaceInB('f'));
    expect(formatBindings(closeLoop(bindings, 'f'))).toEqual(['a/b many b 2', 'a/b many c 3']);
  });

  it('are copied back from open loops at the end of the turn', () => {
    const bindings = foldFact(
      openLoop(foldFact([], createOneFact('T'), 1, createPlaceInB('')), 'f'),
      createOneFact('T'),
      2,
      createPlaceInB('f'),
    );
    expect(formatBindings(observe(bindings, { type: 'turn-ended' }))).toEqual(['a/b one T 2']);
  });

  it('are the same array after an unrelated event', () => {
    const bindings = foldFact([], createOneFact('T'), 1);
    expect(observe(bindings, { type: 'model-replied' })).toBe(bindings);
    expect(closeLoop(bindings, 'x')).toBe(bindings);
    expect(openLoop(bindings, 'f')).toBe(bindings);
    expect(observe(bindings, { type: 'turn-ended' })).toBe(bindings);
  });
});
