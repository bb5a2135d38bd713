import { saysTrue } from '../tools/says-true.ts';

/** What the literals of agentic tools say that remember something from one call to the next. */
export interface KeyedConfig<Input> {
  /** What its memory is kept under, for each key apart; calls with one key go on where the last one stopped. */
  readonly key?: ((input: Input) => string) | undefined;
  /** Whether this call begins anew: what is remembered under its key is forgotten. */
  readonly reset?: ((input: Input) => boolean) | undefined;
}

/** What the memory of one call is kept under, and whether the call begins anew. */
export interface KeyedMemory {
  readonly key: string;
  readonly isReset: boolean;
}

/** The memory of a call with this input; one and the same for all of them unless the literal says otherwise. */
export const memoryOf = <Input>(
  { name, key = () => '', reset = () => false }: KeyedConfig<Input> & { readonly name: string },
  input: Input,
): KeyedMemory => ({ key: key(input), isReset: saysTrue(`\`reset\` of tool '${name}'`, reset, input) });
