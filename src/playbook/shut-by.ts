import { unwrapAs } from '../tools/decorate.ts';
import { originOf } from '../tools/facades/brought.ts';
import type { AnyTool } from '../tools/tool.ts';
import type { Lock } from './lock.ts';

/** The locks of a playbook, by the tools as it was given them. */
export type Locks = ReadonlyMap<AnyTool, Lock>;

/**
 * The lock that keeps a tool from being used: its own, or that of the facade that brought it. A facade may have been opened when
 * its lock was open, for another key or before the playbook began anew, and what it brought is behind the lock as it is now.
 * One way that is open is enough for a tool that several facades bring.
 */
export function shutBy(tool: AnyTool, locks: Locks, isShut: (lock: Lock) => boolean): Lock | undefined {
  const own = locks.get(unwrapAs(tool, (one): one is AnyTool => locks.has(one)) ?? tool);
  if (own && isShut(own)) return own;
  const origin = originOf(tool);
  if (!origin || origin.wasThere) return undefined;
  const ways = origin.by.map((facade) => shutBy(facade, locks, isShut));
  return ways.includes(undefined) ? undefined : ways[0];
}

/** The first lock that keeps one of these tools from being used. */
export function firstShut(
  tools: readonly AnyTool[],
  locks: Locks,
  isShut: (lock: Lock) => boolean,
): Lock | undefined {
  for (const tool of tools) {
    const lock = shutBy(tool, locks, isShut);
    if (lock) return lock;
  }
  return undefined;
}
