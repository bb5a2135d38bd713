import type { AnyTool } from '../tool.ts';
import { type AwaitingDecider, pausing } from './pausing.ts';

/**
 * A tool whose calls wait for a decision when `decider` asks for one (DEC-16). The decider sees the typed, checked input,
 * the call and the tool; it answers what to ask, or `undefined` to run. It is asked again once that is decided, and has
 * to answer the same. An edit replaces the tool's input, unless the request has a schema of its own.
 */
export const withAwaiting = <T extends AnyTool>(tool: T, decider: AwaitingDecider<T>): T =>
  pausing(tool, { decider });
