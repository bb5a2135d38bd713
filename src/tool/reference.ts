import type { AnyTool } from './tool.ts';

/** Knowledge with tools to look into it: an agent that is given it has its notes in the instructions, and its tools (PRN-07). */
export interface Reference {
  readonly name: string;
  /** What it is about, in a sentence. */
  readonly description: string;
  /** What the model should know of it, and how to use its tools. */
  readonly notes: string;
  /** Each an agent can also be given alone. */
  readonly tools: readonly AnyTool[];
}

/** A reference as it stands in the instructions. */
export const referenceText = ({ name, description, notes }: Reference): string =>
  `Reference '${name}': ${description}\n${notes}`;
