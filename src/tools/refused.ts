import type { ParsedInput } from './input-schema.ts';

/** A value that is not taken, for one reason. */
export const refused = (problem: string): ParsedInput<never> => ({ ok: false, problems: [problem] });
