import { ConfigurationError } from '../model/configuration-error.ts';
import { type ContextValues, ToolCallContext, ToolCallContextError } from '../tools/tool-call-context.ts';

/** What an app declares as its context: values, or a context made of them (CTX-06). */
export type AppContext = ContextValues | ToolCallContext;

/** The tool-call context that an app declares. @throws ConfigurationError when it is not JSON. */
export function toAppContext(declared: AppContext): ToolCallContext {
  try {
    return ToolCallContext.of(declared);
  } catch (cause) {
    if (!(cause instanceof ToolCallContextError)) throw cause;
    throw new ConfigurationError(`\`context\` cannot be used: ${cause.message}`, { cause });
  }
}
