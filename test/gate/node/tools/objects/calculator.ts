import * as v from 'valibot';
import { artifact, type CallContext, text } from '../../../../../src/index.ts';
import { toolTable } from '../../../../../src/modules/tool-objects/entry.ts';

const Pair = v.object({
  a: v.pipe(v.number(), v.integer(), v.description('First number')),
  b: v.optional(v.number(), 1),
});

/** An object whose tools are stateful, asynchronous, static and renamed. */
export class Calculator {
  static readonly tools = toolTable<Calculator>({
    add: { description: 'Adds two numbers.', input: Pair, effect: 'read', category: 'arithmetic' },
    divide: { description: 'Divides.', input: Pair, effect: 'read' },
    report: { description: 'Reports.', effect: 'read', returnDirect: true, metadata: { cost: 3 } },
    forget: { description: 'Forgets.', effect: 'idempotent', serial: 'memory', timeout: 5 },
    tell: { description: 'Tells.', effect: 'read', name: 'tell_words' },
    whose: { description: 'Says whose it is.', effect: 'read' },
  });

  #memory: number[] = [];
  private readonly owner: string;

  constructor(owner = 'nobody') {
    this.owner = owner;
  }

  add({ a, b }: { a: number; b: number }): number {
    this.#memory.push(a + b);
    return a + b;
  }

  async divide({ a, b }: { a: number; b: number }) {
    await Promise.resolve();
    if (b === 0) throw new Error('Nothing can be divided by zero');
    return { quotient: a / b };
  }

  report() {
    return artifact(`${this.#memory.length} sums`, { sums: this.#memory });
  }

  forget() {
    this.#memory = [];
  }

  tell() {
    return text('as it is');
  }

  whose(_: Record<string, never>, { context }: CallContext): string {
    return `${this.owner} for ${context.get('tenantId')}`;
  }

  /** Not a tool, because the table does not name it. */
  power({ a, b }: { a: number; b: number }): number {
    return a ** b;
  }
}
