import { decorate } from '../../tool/decorate.ts';
import type { AnyTool } from '../../tool/tool.ts';
import { text } from '../../tool/tool-result.ts';
import { listed } from './call-unfolding.ts';
import type { Unfolding } from './unfolding.ts';

/**
 * Makes what stays under the name of an unfolding tool that is open, for a model that calls it again: the unfolding tool
 * itself, which lists its tools then. Only one whose input chooses among tools can still change what is offered.
 */
export function guideTo(unfolding: AnyTool, { into }: Unfolding): AnyTool {
  const chooses = into.by === 'category' || into.by === 'selection';
  const use = chooses
    ? 'Call it with another input for other tools, or with the same to list them.'
    : 'Call it only to list them.';
  return decorate(unfolding, {
    description: `${sentence(unfolding)}. Already open: its tools are among yours. ${use}`,
  });
}

/** Says what a context tool tells the model. */
interface Context {
  readonly name: string;
  readonly unfolding: AnyTool;
  readonly notes: string | undefined;
  readonly tools: readonly AnyTool[];
}

/**
 * Makes a tool that keeps what an unfolding tool was for: it names the tools inside, and describes each when it is
 * called.
 */
export function contextTool({ name, unfolding, notes, tools }: Context): AnyTool {
  const about = sentence(unfolding);
  const names = tools.map((tool) => tool.name).join(', ');
  const details = [`Tools for ${about}:`, listed(tools), ...(notes ? [`Usage notes: ${notes}`] : [])];
  return {
    name,
    description: [about, `Available: ${names}`, ...(notes ? [notes] : [])].join('. '),
    inputSchema: { type: 'object', properties: {} },
    effect: 'none',
    returnDirect: false,
    metadata: {},
    check: async (value) => ({ ok: true, value }),
    call: async () => text(details.join('\n')),
  };
}

/** Takes the full stops off a description, so that a sentence can go on behind it. */
const sentence = ({ description }: AnyTool): string => description.trim().replace(/\.+$/, '');

/** The longest name that every provider takes. */
const MAX_NAME = 64;

/** Returns the name, or where it is taken one that begins with the unfolding tool's, so that no two tools share a name. */
export function freeName(unfolding: string, name: string, taken: { has(name: string): boolean }): string {
  const wanted = name.slice(0, MAX_NAME);
  if (!taken.has(wanted)) return wanted;
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `_${count}`;
    const free = `${unfolding}_${name}`.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(free)) return free;
  }
}
