import type { CallContext } from '../../tool/call.ts';
import { saysTrue } from '../../tool/check-definition.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { Serial } from '../../tool/tool.ts';

/** What the literals of agentic tools say that remember something from one call to the next. */
export interface KeyedConfig<Input> {
  /** Its memory is kept under this key, for each key apart; calls with one key go on where the last one stopped. */
  readonly key?: ((input: Input) => string) | undefined;
  /** Whether this call begins anew: what is remembered under its key is forgotten. */
  readonly reset?: ((input: Input) => boolean) | undefined;
}

/** What the memory of one call is kept under, and whether the call begins anew. */
export interface KeyedMemory {
  readonly key: string;
  readonly isReset: boolean;
}

/** Says which memory a call with this input has; all calls share one unless the literal says otherwise. */
export const memoryOf = <Input>(
  { name, key = () => '', reset = () => false }: KeyedConfig<Input> & { readonly name: string },
  input: Input,
  { log }: Pick<CallContext, 'log'>,
): KeyedMemory => ({
  key: key(input),
  isReset: saysTrue({ whose: `\`reset\` of tool '${name}'`, log }, reset, input),
});

/**
 * Answers what calls of one batch share that keep their memory under the same key, so that they do not overtake each
 * other. The key is that of the input as its schema reads it: what differs only before that (`' 41'`, `'41'`) meets here
 * too. Calls whose key cannot be told at once share the tool's name.
 */
export function keyedSerial<Declaration extends InputDeclaration>(
  tool: string,
  declared: Declaration | undefined,
  key: ((input: InputOf<Declaration>) => string) | undefined,
): Serial {
  if (!key) return tool;
  return (sent) => {
    try {
      const read = readNow(declared, sent);
      // What the schema has read is the tool's input.
      return read ? `${tool} ${key(read.value as InputOf<Declaration>)}` : tool;
    } catch {
      return tool;
    }
  };
}

/** Reads the input, unless it is not valid or its schema takes time: then the call waits for those that are like it. */
function readNow(declared: InputDeclaration, sent: JsonObject): { readonly value: unknown } | undefined {
  if (!declared) return { value: {} };
  const result = declared['~standard'].validate(sent);
  if (!(result instanceof Promise)) return result.issues ? undefined : result;
  result.catch(() => undefined); // Nobody will wait for it.
  return undefined;
}
