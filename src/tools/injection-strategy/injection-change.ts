import type { AnyTool } from '../tool.ts';

/** What becomes of the tools that are offered. */
export interface InjectionChange {
  readonly add: readonly AnyTool[];
  /** By name. */
  readonly remove: readonly string[];
}

/** A tool, or several; those to be removed by themselves or by name. */
type OneOrList<T> = T | readonly T[];

/** Nothing changes (INJ-02). */
export const noChange: InjectionChange = { add: [], remove: [] };

/** These tools are offered too. */
export const addTools = (tools: OneOrList<AnyTool>): InjectionChange => ({ add: listOf(tools), remove: [] });

/** These tools are not offered any more. */
export const removeTools = (tools: OneOrList<AnyTool | string>): InjectionChange => ({
  add: [],
  remove: listOf(tools).map((tool) => (typeof tool === 'string' ? tool : tool.name)),
});

/** Some tools in the place of others. */
export const replaceTools = (
  remove: OneOrList<AnyTool | string>,
  add: OneOrList<AnyTool>,
): InjectionChange => ({ ...removeTools(remove), add: listOf(add) });

/** Whether there is anything to do. */
export const hasChanges = ({ add, remove }: InjectionChange): boolean => add.length > 0 || remove.length > 0;

const listOf = <T extends AnyTool | string>(given: OneOrList<T>): readonly T[] =>
  isList(given) ? given : [given];

const isList = <T>(given: OneOrList<T>): given is readonly T[] => Array.isArray(given);

/**
 * The tools after a change: first those that go, by name, then those that come, of each name the first, and none whose
 * name is taken (INJ-06). The same list when nothing changes.
 */
export function applyChange(tools: readonly AnyTool[], change: InjectionChange): readonly AnyTool[] {
  if (!hasChanges(change)) return tools;
  const gone = new Set(change.remove);
  const left = tools.filter(({ name }) => !gone.has(name));
  const taken = new Set(left.map(({ name }) => name));
  const come = change.add.filter(({ name }) => !taken.has(name) && taken.add(name));
  return come.length === 0 && left.length === tools.length ? tools : [...left, ...come];
}
