import { describe, expect, it } from 'vitest';
import {
  findMentions,
  likeness,
  listChanges,
  readAbsentFacts,
  readFacts,
  readParams,
  readToolCard,
  splitSteps,
  toChange,
  toStem,
  toStems,
} from '../../../doors/model.ts';
import { createWorldTool } from './offline-world.ts';

describe('the words that the offline model reads', () => {
  it.each([
    ['charge', 'charges', 'charged', 'charging'],
    ['cancel', 'cancels', 'cancelled', 'cancelling'],
    ['city', 'cities'],
    ['box', 'boxes'],
    ['ship', 'ships', 'shipped', 'shipping'],
    ['call', 'calls', 'called', 'calling'],
    ['add', 'adds', 'added', 'adding'],
  ])('have the same stem: %s, %s', (...words) => {
    expect(new Set(words.map(toStem)).size).toBe(1);
  });

  it('are split at capitals, underscores and dashes, and exclude stop words', () => {
    expect(toStems('getFlompState of_the zarnik-code')).toEqual(['get', 'flomp', 'stat', 'zarnik', 'cod']);
  });
});

describe('the values in a message', () => {
  it.each([
    ['flomp 1002', ['number 1002 flomp']],
    ['the flomp number A-1002, please', ['id A-1002 flomp']],
    ['flomps 1, 2 and x3', ['number 1 flomp', 'number 2 flomp', 'id x3 ']],
    [
      'write "to be 1" to ada@example.com by 2026-03-01',
      ['quoted to be 1 writ', 'email ada@example.com ', 'date 2026-03-01 '],
    ],
    [
      'see https://example.com/a?b=1. And pay $1,250.50 now',
      ['url https://example.com/a?b=1 see', 'number 1250.50 pay'],
    ],
    ['all flomps except 7, the 2nd one', []],
    ['I met Ada Lovelace there', ['name Ada Lovelace met']],
    ["don't say it's 5", ['number 5 say']],
  ])('are read from "%s"', (text, expected) => {
    expect(
      findMentions(text).map(({ kind, value, before }) => `${kind} ${value} ${before[0] ?? ''}`),
    ).toEqual(expected);
  });
});

describe('the steps of a message', () => {
  it.each([
    [
      'Cancel flomp 1, then email zarnik 2 about it.',
      ['cancel: Cancel flomp 1', 'email: email zarnik 2 about it.'],
    ],
    ['Find flomp 1 and cancel it; then show it', ['-: Find flomp 1', 'cancel: cancel it', '-: then show it']],
    [
      'cancel and archive flomp 1',
      ['cancel: cancel and archive flomp 1', 'archiv: cancel and archive flomp 1'],
    ],
    ['Compare flomp 1 and 2', ['-: Compare flomp 1 and 2']],
    ['Please, could you cancel flomp 1?', ['cancel: Please, could you cancel flomp 1?']],
    ["I'd like to book a flomp", ["book: I'd like to book a flomp"]],
    ['Could you cancel a flomp?', ['-: Could you cancel a flomp?']],
    ['Was flomp 1 cancelled?', ['-: Was flomp 1 cancelled?']],
    ['Book of zarnik 3', ['-: Book of zarnik 3']],
    [
      'Send "Stop. Then cancel flomp 1; now" to zarnik 2',
      ['send: Send "Stop. Then cancel flomp 1; now" to zarnik 2'],
    ],
    ['Why? Cancel flomp 1 unless it is late.', ['-: Why?', '-: Cancel flomp 1 unless it is late.']],
    ['...', []],
  ])('are read from "%s"', (text, expected) => {
    expect(splitSteps(text).map((step) => `${step.command ?? '-'}: ${step.text}`)).toEqual(expected);
  });

  it.each([
    ['Zorble a flomp', true],
    ['Please zorble it', true],
    ['Zorble A-7', false],
    ['Zorble in Paris', false],
    ['Zorble 12', false],
  ])('are an order only if they can start with a verb: %s', (text, governs) => {
    expect(splitSteps(text).map((step) => step.governs)).toEqual([governs]);
  });

  it.each([
    ['Cancel the subscription of flomp 1', 'subscription'],
    ['Cancel flomp 1', 'flomp'],
    ['Cancel it', ''],
    ['Send zarnik 2 a note', 'zarnik'],
    ['Add 3 red blorks to flomp 1', 'red blorks'],
  ])('include the object of an order: %s', (text, object) => {
    expect(splitSteps(text).map((step) => step.object)).toEqual([object]);
  });
});

describe('the name of a tool', () => {
  it.each([
    ['cancel_flomp', '', true],
    ['flompDelete', '', true],
    ['create_archive', '', true],
    ['zorble_flomp', 'Zorbles a flomp.', true],
    ['flomp', 'Deletes it.', true],
    ['find_cancelled_flomps', 'Cancelled ones.', false],
    ['flomp_update_history', 'Updates so far.', false],
    ['flomp_level', 'Flomp level of an hour.', false],
    ['forecast', 'Forecast of a day.', false],
    ['refund_status', 'Status of a refund.', false],
    ['flomp_charge_price', 'What charging costs.', false],
    ['update_status', 'Updates the status of a flomp.', true],
    ['update_flomp_price', 'Amends the price.', true],
    ['set_flomp_date', '', true],
  ])('%s with the description "%s" means a change: %s', (name, description, changes) => {
    expect(listChanges(name, description).length > 0).toBe(changes);
  });

  it('contains the thing that the tool creates', () => {
    expect(readToolCard(createWorldTool('create_flomp', 'Create a flomp.', ['id'])).nouns).toEqual(['flomp']);
  });

  it.each([
    ['create_refund', 'refund'],
    ['create_booking', 'book'],
    ['makeTransfer', 'transfer'],
    ['place_flomp', 'flomp'],
    ['submit_claim', 'claim'],
  ])('%s also means the verb "%s"', (name, verb) => {
    expect(listChanges(name, '')).toEqual([toChange(toStem(name.split(/[_T]/)[0] ?? '')), toChange(verb)]);
  });
});

describe('the facts in a result', () => {
  const formatFacts = (text: string): string[] =>
    readFacts(text, ['get', 'flomp']).map(
      ({ label, nouns, marked, value }) => `${label}=${value} ${nouns}${marked ? '#' : ''}`,
    );

  it('are the named values in its JSON, where an id belongs to the enclosing object', () => {
    expect(
      formatFacts('{"id":7,"state":"ok","zarnik":{"id":"z1"},"blork_ids":["a","b"],"none":null}'),
    ).toEqual(['id=7 flomp#', 'state=ok stat', 'id=z1 zarnik#', 'blork_ids=a blork#', 'blork_ids=b blork#']);
  });

  it('omit empty values', () => {
    const result = '{"blork_code":null,"note":"","zarniks":[],"state":"ok","count":0,"open":false}';
    expect(formatFacts(result)).toEqual(['state=ok stat', 'count=0 count', 'open=false open']);
    const absent = readAbsentFacts(result, ['get', 'flomp']);
    expect(absent.map(({ label, marked, value }) => [label, marked, value])).toEqual([
      ['blork_code', true, ''],
      ['note', false, ''],
      ['zarniks', false, ''],
    ]);
    expect(readAbsentFacts('Note: nothing', ['get', 'flomp'])).toEqual([]);
  });

  it('are the names and values in its text', () => {
    expect(formatFacts('State: fine\nIt hangs on zarnik Z-4.')).toEqual([
      'State=fine stat',
      'zarnik=Z-4 zarnik#',
    ]);
  });
});

describe('the values for a parameter', () => {
  it.each([
    ['flomp_id', { type: 'string' }, ['flompId', 'flomp_code', 'flomp', 'lost_flomp_code']],
    ['amount', { type: 'number' }, ['amount', 'total']],
    ['hue', { type: 'string' }, ['hue']],
  ])('are sorted by how well their names fit: %s', (name, schema, names) => {
    const [param] = readParams({ properties: Object.fromEntries([[name, schema]]) }, []);
    if (param === undefined) throw new Error('There is no parameter.');
    const keys = ['zarnik_id', 'lost_flomp_code', 'total', 'flomp', 'flomp_code', 'flompId', 'amount', 'hue'];
    const facts = readFacts(JSON.stringify(Object.fromEntries(keys.map((key) => [key, 12]))), []);
    const ranked = facts.map((fact) => ({ label: fact.label, rank: likeness(fact, param) }));
    const fitting = ranked.filter(({ rank }) => rank > 0).toSorted((left, right) => right.rank - left.rank);
    expect(fitting.map(({ label }) => label)).toEqual(names);
    expect(new Set(fitting.map(({ rank }) => rank)).size).toBe(names.length);
  });
});

describe('the parameters of a schema', () => {
  it.each([
    [{ type: 'string', enum: ['a', 'b'] }, 'choice'],
    [{ const: 'a' }, 'choice'],
    [{ type: ['null', 'integer'] }, 'number'],
    [{ anyOf: [{ type: 'null' }, { type: 'boolean' }] }, 'boolean'],
    [{ $ref: '#/$defs/when' }, 'date'],
    [{ $ref: '#/$defs/loop' }, 'unknown'],
    [{ $ref: 'https://example.com/x' }, 'unknown'],
    [{ type: 'string', pattern: '^[A-Z]\\d+$' }, 'id'],
    [{ type: 'string', pattern: '^(a+)+$' }, 'phrase'],
    [{ type: 'array', items: { type: 'string' } }, 'list'],
    [true, 'unknown'],
    [null, 'unknown'],
  ])('are of the type that the schema %j implies: %s', (schema, type) => {
    const $defs = { when: { type: 'string', format: 'date' }, loop: { $ref: '#/$defs/loop' } };
    expect(readParams({ properties: { flomp: schema }, $defs }, []).map(({ shape }) => shape.type)).toEqual([
      type,
    ]);
  });

  it.each([
    ['flomp_id', 'id'],
    ['trackingCode', 'id'],
    ['query', 'text'],
    ['body', 'text'],
    ['owner_email', 'email'],
    ['city', 'phrase'],
    ['__proto__', 'phrase'],
  ])('with the name %s have the type %s if they are strings', (name, type) => {
    const properties = Object.fromEntries([[name, { type: 'string' }]]);
    expect(readParams({ properties }, []).map(({ shape }) => shape.type)).toEqual([type]);
  });
});
