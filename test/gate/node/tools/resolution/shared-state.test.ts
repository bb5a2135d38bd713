import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveTools } from '../../../../../src/index.ts';
import { toolFactory, toolMethod, toolTable } from '../../../../../src/modules/tool-objects/entry.ts';

let warn = vi.spyOn(console, 'warn');
beforeEach(() => {
  warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => vi.restoreAllMocks());

const ADD = { add: { description: 'Adds.' } } as const;

const formatWarning = (name: string, fields: string) =>
  `holdfast: ${name} keeps ${fields} in fields that its methods change: all sessions share that, and it is lost with the Worker. ` +
  `List toolFactory(() => new ${name}()) in its place, which makes one for each invocation, and keep in \`call.state\` what must survive.`;

class SharedCounter {
  static readonly tools = toolTable<SharedCounter>(ADD);
  count = 0;
  add() {
    return this.count++;
  }
}
class SharedTotal {
  static readonly tools = toolTable<SharedTotal>(ADD);
  sum = 0;
  last = '';
  add() {
    this.last = 'one';
    this.sum += 1;
  }
}
class SharedLines {
  static readonly tools = toolTable<SharedLines>(ADD);
  readonly lines: string[] = [];
  add() {
    this.lines.push('one');
  }
}
class ByKey {
  static readonly tools = toolTable<ByKey>(ADD);
  readonly rows: Record<string, number> = {};
  readonly known = new Map<string, number>();
  add() {
    const key = 'a';
    this.rows[key] = 1;
    this.known.set('a', 1);
  }
}
class Hidden {
  static readonly tools = toolTable<Hidden>(ADD);
  #count = 0;
  readonly #seen = new Set<number>();
  add() {
    this.#seen.add(++this.#count);
  }
}
class Below extends SharedCounter {}
class Arrow {
  static readonly tools = toolTable<Arrow>(ADD);
  count = 0;
  readonly add = () => {
    this.count += 1;
  };
}

class SharedTill {
  #total = 0;
  readonly add = toolMethod({ description: 'Adds.' }, () => {
    this.#total += 1;
    return this.#total;
  });
}

describe('an object that all sessions share and that changes its fields', () => {
  it.each<[string, object, string]>([
    ['counts', new SharedCounter(), formatWarning('SharedCounter', "'count'")],
    ['keeps a sum', new SharedTotal(), formatWarning('SharedTotal', "'last' and 'sum'")],
    ['collects', new SharedLines(), formatWarning('SharedLines', "'lines'")],
    ['keeps values by key', new ByKey(), formatWarning('ByKey', "'rows' and 'known'")],
    ['has private fields', new Hidden(), formatWarning('Hidden', "'#count' and '#seen'")],
    ['inherits such a field', new Below(), formatWarning('Below', "'count'")],
    ['changes a field in an arrow function', new Arrow(), formatWarning('Arrow', "'count'")],
    ['changes a field in a toolMethod', new SharedTill(), formatWarning('SharedTill', "'#total'")],
  ])('causes one warning for the developer if it %s', (_, object, message) => {
    resolveTools([object]);
    resolveTools([object]);
    expect(warn.mock.calls).toEqual([[message]]);
  });
});

interface Repository {
  add(one: string): void;
  set(key: string, one: string): void;
}
class Api {
  static readonly tools = toolTable<Api>(ADD);
  readonly allowed = ['a'];
  readonly config = { url: 'https://a.example' };
  calls = new Map<string, string>();
  readonly #key: string;
  #client: object | undefined;
  readonly repository: Repository;
  constructor(key: string, repository: Repository) {
    this.#key = key;
    this.repository = repository;
    this.calls.set('none', '');
  }
  get client() {
    this.#client ??= { key: this.#key };
    return this.#client;
  }
  set later(value: string) {
    void value;
  }
  add() {
    const isSame = this.#key === this.config.url || this.config.url <= this.#key;
    this.repository.add(`${isSame}`);
    this.repository.set('a', 'b');
    this.later = 'goes to the accessor';
    return this.allowed.includes('a') && [...this.calls.keys()];
  }
}
class NamedObject {
  readonly name = 'somebody';
  readonly add = toolMethod({ description: 'Adds.' }, () => this.name);
}
class FrozenCounter extends SharedCounter {
  constructor() {
    super();
    Object.freeze(this);
  }
}
// biome-ignore lint/complexity/noStaticOnlyClass: this test is about a class with static tools
class StaticCounter {
  static readonly tools = toolTable<StaticCounter>(ADD);
  static count = 0;
  static add() {
    return 'added';
  }
}

describe('an object that only reads its fields', () => {
  it.each<[string, object]>([
    ['settings, services and lazy values', new Api('key', { add: () => {}, set: () => {} })],
    ['a toolMethod that reads', new NamedObject()],
    ['a frozen object', new FrozenCounter()],
    ['a class with a static field', StaticCounter],
    ['the product of a factory', toolFactory(() => new SharedCounter())],
  ])('causes no warning for %s', (_, source) => {
    expect(resolveTools([source]).tools).toMatchObject([{ name: 'add' }]);
    expect(warn).not.toHaveBeenCalled();
  });
});
