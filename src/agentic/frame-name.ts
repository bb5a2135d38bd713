import { originOf } from '../tools/facades/brought.ts';
import type { ToolInvocation } from '../tools/tool.ts';

/**
 * What the frame of a call is called, under which the tools inside keep their state: the tool's own name, so that copies
 * under other names share it. A tool that is offered under another name because there is one of its name already is not a
 * copy of that: its state is kept under the name that it is offered under.
 */
export function frameName(own: string, { tool, offered }: Pick<ToolInvocation, 'tool' | 'offered'>): string {
  const called = offered().find(({ name }) => name === tool);
  const origin = called && originOf(called);
  return origin && origin.name !== tool ? tool : own;
}
