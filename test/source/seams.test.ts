import { expect, it } from 'vitest';
import { parseSource } from './parse-source.ts';
import { collectSeams } from './seams.ts';

it('each call of `defineSeam` is a seam with the name of its constant', () => {
  const text = `
    import { defineSeam } from './module-use.ts';
    export const LOOPS = defineSeam<LoopSeam>();
    const given = [defineSeam()];
    function defineSeam() {}
    /** defineSeam() */
  `;
  expect(collectSeams(parseSource('src/a.ts', text))).toEqual([
    { file: 'src/a.ts', name: 'LOOPS' },
    { file: 'src/a.ts', name: '(unnamed)' },
  ]);
});
