import type { StandardSchemaV1 } from '@standard-schema/spec';
import {
  type CallContext,
  defineTextTool,
  defineTool,
  type InputDeclaration,
  type InputOf,
  type Reconciliation,
  type Tool,
} from '../../../../src/index.ts';
import type { CrashKit } from '../../../../src/testing/crash-matrix/entry.ts';
import type { RepeatEffect } from '../../../doors/testing.ts';

interface KitTool<Name extends string, Input, Output> {
  readonly name: Name;
  readonly description?: string;
  readonly care: RepeatEffect;
  readonly serial?: string;
  readonly returnDirect?: boolean;
  readonly output?: StandardSchemaV1;
  /**
   * Returns the result of the tool. Defaults to `name done`. It must depend only on the input and the call
   * context.
   */
  readonly answer?: (input: Input, call: CallContext) => Output;
}

/** The external state of a scenario in addition to its effects. */
export interface LabWorld {
  /** If `true`, new invocations run the next version of the code. */
  isDeployed: boolean;
}

/** Creates the tools of a scenario. */
export interface Kit {
  readonly world: LabWorld;
  /**
   * Performs an external effect that is not a call. A crash can happen before or after it. Repeats with the
   * same key count once.
   */
  readonly effect: CrashKit['effect'];
  tool<const Name extends string, Declaration extends InputDeclaration = undefined, Output = unknown>(
    declared: KitTool<Name, InputOf<Declaration>, Output> & { readonly input?: Declaration },
  ): Tool<Name, InputOf<Declaration>, Output>;
  text<const Name extends string>(declared: KitTool<Name, string, unknown>): Tool<Name, string>;
}

/** Creates a kit. The `reconcile` of its tools checks whether the call ran. */
export const createKit = ({
  ran,
  world,
  effect,
}: Pick<CrashKit<LabWorld>, 'ran' | 'world' | 'effect'>): Kit => ({
  world,
  effect,
  tool: <const Name extends string, Declaration extends InputDeclaration, Output>({
    input,
    ...declared
  }: KitTool<Name, InputOf<Declaration>, Output> & { readonly input?: Declaration }) => {
    const { reconcile, ...acting } = createActingTool(ran, declared);
    return declared.care === 'reconciled'
      ? defineTool<Name, Declaration, Output>({ ...acting, input, effect: 'once', reconcile })
      : defineTool<Name, Declaration, Output>({ ...acting, input, effect: declared.care });
  },
  text: (declared) => {
    const { reconcile, ...acting } = createActingTool(ran, declared);
    return declared.care === 'reconciled'
      ? defineTextTool({ ...acting, effect: 'once', reconcile })
      : defineTextTool({ ...acting, effect: declared.care });
  },
});

function createActingTool<Name extends string, Input, Output>(
  ran: CrashKit['ran'],
  { care: _, answer, ...declared }: KitTool<Name, Input, Output>,
) {
  const { name, description = `To ${name}.` } = declared;
  const computeAnswer = (input: Input, call: CallContext): Output =>
    answer ? answer(input, call) : (`${name} done` as Output); // callers that set `Output` also pass `answer`
  return {
    ...declared,
    description,
    run: computeAnswer,
    reconcile: (input: Input, call: CallContext): Reconciliation =>
      ran(call.idempotencyKey) ? { done: computeAnswer(input, call) } : 'not-done',
  };
}
