const MAX_NAME = 64;

/** What a name may not hold. */
const UNNAMEABLE = /[^A-Za-z0-9_-]/g;

/** Whose tool a name stands for. */
export interface Named {
  readonly prefix: string;
  readonly id: string;
  readonly tool: string;
  /** The domain type, where the prefix does not tell it. */
  readonly type?: string;
}

/**
 * `{prefix}_{id}_{tool}`, as every provider takes it: what no name may hold is dropped from the id, and it is cut to fit.
 * A name that lost something by that ends in a mark of the whole id, so that two ids keep two names (TPR-02, TPR-03).
 */
export function objectToolName(named: Named): string {
  const { prefix, id, tool } = named;
  const clean = id.replaceAll(UNNAMEABLE, '');
  const name = `${prefix}_${clean}_${tool}`;
  return clean === id && name.length <= MAX_NAME ? name : markedName(named);
}

/** The same with its mark in any case: for a name that another object's tool could have. */
export function markedName({ prefix, id, tool, type }: Named): string {
  const whole = type === undefined ? [prefix, id, tool] : [prefix, id, tool, type];
  const mark = `_${shortHash(JSON.stringify(whole))}`;
  const most = MAX_NAME - mark.length;
  // What the tool does tells more than the end of a long id.
  const room = Math.max(most - tool.length - 1, prefix.length + 1);
  const object = `${prefix}_${id.replaceAll(UNNAMEABLE, '')}`.slice(0, room);
  return `${object}_${tool}`.slice(0, most) + mark;
}

/** FNV-1a over UTF-16, 32 bits in base 36: short, the same everywhere, and no secret. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
