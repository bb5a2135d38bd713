import { type Node, Visitor } from 'oxc-parser';
import type { Source } from './parse-source.ts';

const SETTING_PATTERN = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

/** Names in capitals that are not settings: HTTP methods, and a constant of the MCP client. */
const OTHER_NAMES = new Set(['DELETE', 'OPTIONS', 'PATCH', 'AUTHORIZED']);

/**
 * Returns the vars, secrets and bindings that a file reads: `env.NAME`, a pattern `{ NAME }`, and strings and
 * keys that are passed to other functions, such as `'WALL_MS'`.
 */
export function collectSettings({ program }: Source): string[] {
  const found = new Set<string>();
  const add = (name: string | undefined): void => {
    if (name !== undefined && SETTING_PATTERN.test(name)) found.add(name);
  };
  new Visitor({
    MemberExpression({ object, property, computed }) {
      if (object.type === 'Identifier' && object.name === 'env' && !computed) add(findName(property));
    },
    ObjectPattern({ properties }) {
      for (const one of properties) if (one.type === 'Property' && !one.computed) add(findName(one.key));
    },
    Property({ key, computed }) {
      if (!computed && findName(key)?.includes('_')) add(findName(key));
    },
    Literal({ value }) {
      if (typeof value === 'string' && value.length > 4 && !OTHER_NAMES.has(value)) add(value);
    },
  }).visit(program);
  return [...found];
}

const findName = (node: Node): string | undefined => (node.type === 'Identifier' ? node.name : undefined);
