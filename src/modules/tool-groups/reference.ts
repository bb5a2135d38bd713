import { collectTools } from '../../sources/resolution/resolve-tools.ts';
import { type Reference, SOURCE, type ToolReference } from '../../sources/resolution/tool-source.ts';
import type { LiteralShape } from '../../tool/check-literal.ts';
import { literals } from '../../tool/literals.ts';
import { ended, nameIn } from '../../tool/shown.ts';

/**
 * Makes a reference: knowledge with tools to look into it. An agent or an agentic tool that lists it among its tools has its notes in its
 * instructions, and its tools. Each of these can also be listed alone.
 *
 * @throws TypeError if a key is unknown, missing or of another kind.
 *
 * @example
 * ```ts
 * const handbook = defineReference({
 *   name: 'handbook',
 *   description: 'The rules of the house.',
 *   notes: 'Quote the number of the order.',
 *   tools: [findOrder],
 * });
 * ```
 */
export function defineReference(config: Reference): ToolReference {
  const fault = literals?.fault(config, SHAPE);
  if (fault) throw new TypeError(`Reference '${nameIn(config)}' ${ended(fault.problem)}`);
  return {
    ...config,
    [SOURCE](place) {
      const { tools, providers } = collectTools(this.tools, { path: place.path });
      return { tools, providers, notes: [textOf(this)] };
    },
  };
}

const SHAPE = {
  of: 'defineReference',
  keys: { name: 'text', description: 'text', notes: 'text', tools: 'list' },
  required: ['name', 'description', 'notes', 'tools'],
} satisfies LiteralShape<keyof Reference>;

/** A reference as it is in the instructions. */
const textOf = ({ name, description, notes }: Reference): string =>
  `Reference '${name}': ${description}\n${notes}`;
