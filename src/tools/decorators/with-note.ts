import type { AnyTool } from '../tool.ts';
import { withDescription } from './with-description.ts';

/** The same tool with a note after its description, as `{description}. {note}` with one full stop between (TOOL-16). */
export const withNote = <T extends AnyTool>(tool: T, note: string): T =>
  withDescription(tool, `${tool.description.replace(/\.$/, '')}. ${note}`);
