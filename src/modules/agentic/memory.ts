import type { CallContext } from '../../tool/call.ts';
import { isExactlyTrue } from '../../tool/check-definition.ts';
import type { InputDeclaration, InputOf } from '../../tool/input-schema.ts';
import type { JsonObject } from '../../tool/json.ts';
import type { Serial } from '../../tool/tool.ts';

/** The fields of agentic tools that keep a memory between calls. */
export interface KeyedConfig<Input> {
  /** Returns the key of the call's memory. A call resumes where the last call with the same key stopped. */
  readonly key?: ((input: Input) => string) | undefined;
  /** Returns `true` to clear the memory of the key before the call. */
  readonly reset?: ((input: Input) => boolean) | undefined;
}

/** The key of a call's memory, and whether the call clears it. */
export interface KeyedMemory {
  readonly key: string;
  readonly isReset: boolean;
}

/** Returns the memory for a call with this input. Without a `key` function, all calls share one memory. */
export const resolveMemory = <Input>(
  { name, key = () => '', reset = () => false }: KeyedConfig<Input> & { readonly name: string },
  input: Input,
  { log }: Pick<CallContext, 'log'>,
): KeyedMemory => ({
  key: key(input),
  isReset: isExactlyTrue({ whose: `\`reset\` of tool '${name}'`, log }, reset, input),
});

/**
 * Returns the queue name of a call. Calls in one batch with the same memory key then run in order. The key
 * comes from the parsed input, so inputs with the same parsed value (`' 41'`, `'41'`) share a queue. Calls
 * whose key is not available synchronously share the tool's name.
 */
export function createKeyedSerial<Declaration extends InputDeclaration>(
  tool: string,
  declared: Declaration | undefined,
  key: ((input: InputOf<Declaration>) => string) | undefined,
): Serial {
  if (!key) return tool;
  return (sent) => {
    try {
      const read = parseSync(declared, sent);
      // The parsed value has the type of the tool's input.
      return read ? `${tool} ${key(read.value as InputOf<Declaration>)}` : tool;
    } catch {
      return tool;
    }
  };
}

/** Parses the input. Returns `undefined` if it is invalid or the schema is asynchronous. */
function parseSync(declared: InputDeclaration, sent: JsonObject): { readonly value: unknown } | undefined {
  if (!declared) return { value: {} };
  const result = declared['~standard'].validate(sent);
  if (!(result instanceof Promise)) return result.issues ? undefined : result;
  result.catch(() => undefined); // Prevents an unhandled rejection.
  return undefined;
}
