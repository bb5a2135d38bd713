import { Visitor } from 'oxc-parser';
import type { Source } from './parse-source.ts';

/** A place where modules plug in. */
export interface Seam {
  readonly file: string;
  readonly name: string;
}

/** Returns the seams that a file defines: each call of `defineSeam`, by the name of its constant. */
export function collectSeams({ file, program }: Source): Seam[] {
  const seams: Seam[] = [];
  const named = new Map<number, string>();
  new Visitor({
    VariableDeclarator: ({ id, init }) => {
      if (id.type === 'Identifier' && init) named.set(init.start, id.name);
    },
    CallExpression: ({ callee, start }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'defineSeam') return;
      seams.push({ file, name: named.get(start) ?? '(unnamed)' });
    },
  }).visit(program);
  return seams;
}
