/**
 * Tests the edits that `npx holdfast doctor --fix` makes in a configuration, and that the rest of the text is
 * unchanged.
 */
import { describe, expect, it } from 'vitest';
import { type ConfigEdit, EditError, editJsonc, editToml, isInRange } from '../../../doors/config-edits.ts';

const createSetEdit = (path: string, value: string | boolean): ConfigEdit => ({
  op: 'set',
  path: path.split('.'),
  value,
});
const createAppendEdit = (path: string, value: string | Record<string, string | string[]>): ConfigEdit => ({
  op: 'append',
  path: path.split('.'),
  value,
});
const createRemoveEdit = (path: string): ConfigEdit => ({ op: 'remove', path: path.split('.') });
const binding = { name: 'SESSIONS', class_name: 'SessionObject' };

describe('editToml', () => {
  it.each<[string, string, ConfigEdit, string]>([
    [
      'replaces a value and keeps its comment',
      'a = 1\nday = "x" # old\nb = 2\n',
      createSetEdit('day', 'y'),
      'a = 1\nday = "y" # old\nb = 2\n',
    ],
    [
      'adds a top-level key above the first table',
      'a = 1\n\n# of vars\n[vars]\nX = "1"\n',
      createSetEdit('minify', true),
      'a = 1\nminify = true\n\n# of vars\n[vars]\nX = "1"\n',
    ],
    [
      'adds a top-level key to a file that begins with a table',
      '[vars]\nX = "1"\n',
      createSetEdit('minify', true),
      'minify = true\n\n[vars]\nX = "1"\n',
    ],
    [
      'adds a key to an existing table',
      '[observability]\nhead = 1\n\n[observability.traces]\nenabled = false\n',
      createSetEdit('observability.enabled', true),
      '[observability]\nhead = 1\nenabled = true\n\n[observability.traces]\nenabled = false\n',
    ],
    [
      'replaces a dotted key',
      'observability.enabled = false\n',
      createSetEdit('observability.enabled', true),
      'observability.enabled = true\n',
    ],
    [
      'creates a table',
      'a = 1\n',
      createSetEdit('observability.enabled', true),
      'a = 1\n\n[observability]\nenabled = true\n',
    ],
    [
      'adds to a list that is written in one line',
      'flags = ["a"] # these\n',
      createAppendEdit('flags', 'b'),
      'flags = ["a", "b"] # these\n',
    ],
    ['adds to an empty list', 'flags = []\n', createAppendEdit('flags', 'b'), 'flags = ["b"]\n'],
    [
      'adds to a list that is written in several lines',
      'flags = [\n  "a", # why # not\n  "b#c" # why\n]\nx = 1\n',
      createAppendEdit('flags', 'd'),
      'flags = [\n  "a", # why # not\n  "b#c", # why\n  "d",\n]\nx = 1\n',
    ],
    ['creates a list', 'a = 1\n', createAppendEdit('flags', 'b'), 'a = 1\nflags = ["b"]\n'],
    [
      'adds a table to a list of tables',
      'a = 1\n',
      createAppendEdit('durable_objects.bindings', binding),
      'a = 1\n\n[[durable_objects.bindings]]\nname = "SESSIONS"\nclass_name = "SessionObject"\n',
    ],
    [
      'adds to a list of tables that is written in one line',
      '[durable_objects]\nbindings = [{ name = "A", class_name = "A" }]\n',
      createAppendEdit('durable_objects.bindings', binding),
      '[durable_objects]\nbindings = [{ name = "A", class_name = "A" }, { name = "SESSIONS", class_name = "SessionObject" }]\n',
    ],
    [
      'adds a key to a named environment',
      '[env.prod]\nname = "p"\n',
      createAppendEdit('env.prod.migrations', { tag: 'v1', new_sqlite_classes: ['S'] }),
      '[env.prod]\nname = "p"\n\n[[env.prod.migrations]]\ntag = "v1"\nnew_sqlite_classes = ["S"]\n',
    ],
    [
      'removes a key',
      '[vars]\nA = "1"\nB = """\nX = 1\n[no]\n"""\nC = "3"\n',
      createRemoveEdit('vars.B'),
      '[vars]\nA = "1"\nC = "3"\n',
    ],
    [
      'ignores tables inside a multi-line string',
      'T = """\n[vars]\nX = "no"\n"""\n[vars]\nX = "a"\n',
      createSetEdit('vars.X', 'b'),
      'T = """\n[vars]\nX = "no"\n"""\n[vars]\nX = "b"\n',
    ],
    [
      'ignores the keys of a list of tables',
      '[[a]]\nminify = false\n',
      createSetEdit('minify', true),
      'minify = true\n\n[[a]]\nminify = false\n',
    ],
  ])('%s', (_, text, edit, expected) => {
    expect(editToml(text, edit)).toBe(expected);
  });

  it('throws if the table is written inline', () => {
    expect(() => editToml('a = 1\nvars = { X = "1" }\n', createSetEdit('vars.Y', 'b'))).toThrow(
      new EditError("'vars' is an inline table on line 2."),
    );
    expect(() => editToml('flags = [\n"a",\n', createAppendEdit('flags', 'b'))).toThrow(
      new EditError('The list that begins on line 1 is not closed.'),
    );
  });

  it('throws if dotted keys already define the table', () => {
    expect(() =>
      editToml(
        '[env.p]\nobservability.logs.enabled = true\n',
        createSetEdit('env.p.observability.enabled', true),
      ),
    ).toThrow(new EditError("'env.p.observability' is written as dotted keys on line 2."));
    expect(
      editToml('[observability.logs]\nenabled = true\n', createSetEdit('observability.enabled', true)),
    ).toBe('[observability.logs]\nenabled = true\n\n[observability]\nenabled = true\n');
  });
});

describe('editJsonc', () => {
  it.each<[string, string, ConfigEdit, string]>([
    [
      'replaces a value and keeps its comment',
      '{\n  // the day\n  "day": "x", // old\n  "b": 2\n}\n',
      createSetEdit('day', 'y'),
      '{\n  // the day\n  "day": "y", // old\n  "b": 2\n}\n',
    ],
    [
      'adds a key after the last key',
      '{\n\t"a": 1\n}\n',
      createSetEdit('minify', true),
      '{\n\t"a": 1,\n\t"minify": true\n}\n',
    ],
    [
      'adds a key after a trailing comma',
      '{\n  "a": 1, // one\n}\n',
      createSetEdit('minify', true),
      '{\n  "a": 1,\n  "minify": true, // one\n}\n',
    ],
    ['adds a key to an empty object', '{}', createSetEdit('minify', true), '{\n  "minify": true\n}'],
    [
      'creates missing parent objects',
      '{\n  "a": 1\n}',
      createSetEdit('observability.enabled', true),
      '{\n  "a": 1,\n  "observability": {\n    "enabled": true\n  }\n}',
    ],
    [
      'adds to a list that is written in one line',
      '{ "flags": ["a"] }',
      createAppendEdit('flags', 'b'),
      '{ "flags": ["a", "b"] }',
    ],
    ['adds to an empty list', '{ "flags": [] }', createAppendEdit('flags', 'b'), '{ "flags": ["b"] }'],
    [
      'adds to a list that is written in several lines',
      '{\n  "flags": [\n    "a", // , ]\n    "b" /* , */\n  ]\n}',
      createAppendEdit('flags', 'c'),
      '{\n  "flags": [\n    "a", // , ]\n    "b",\n    "c" /* , */\n  ]\n}',
    ],
    [
      'adds an object to a list',
      '{\n  "durable_objects": {\n    "bindings": [\n      { "name": "A" }\n    ]\n  }\n}',
      createAppendEdit('durable_objects.bindings', binding),
      '{\n  "durable_objects": {\n    "bindings": [\n      { "name": "A" },\n      {\n        "name": "SESSIONS",\n        "class_name": "SessionObject"\n      }\n    ]\n  }\n}',
    ],
    [
      'removes a key in the middle',
      '{\n  "vars": {\n    "A": "1",\n    "B": "2",\n    "C": "3"\n  }\n}',
      createRemoveEdit('vars.B'),
      '{\n  "vars": {\n    "A": "1",\n    "C": "3"\n  }\n}',
    ],
    [
      'removes the last key',
      '{\n  "vars": {\n    "A": "1",\n    "B": "2"\n  }\n}',
      createRemoveEdit('vars.B'),
      '{\n  "vars": {\n    "A": "1"\n  }\n}',
    ],
    ['removes the only key', '{ "vars": { "A": "1" } }', createRemoveEdit('vars.A'), '{ "vars": { } }'],
    [
      'removes the only key with its comma',
      '{ "vars": { "A": "1", } }',
      createRemoveEdit('vars.A'),
      '{ "vars": { } }',
    ],
    [
      'keeps the comment of another key',
      '{\n  "a": 1, // of a\n  "b": 2,\n  // of c\n  "c": 3 /* c, */ , // of c\n  "d": 4\n}',
      createRemoveEdit('b'),
      '{\n  "a": 1, // of a\n  // of c\n  "c": 3 /* c, */ , // of c\n  "d": 4\n}',
    ],
    [
      'removes the last key and the comma before it',
      '{\n  "c": 3 /* c, */ , // of c\n  "d": 4\n}',
      createRemoveEdit('d'),
      '{\n  "c": 3 /* c, */  // of c\n}',
    ],
    ['changes nothing if the key is missing', '{ "a": 1 }', createRemoveEdit('vars.A'), '{ "a": 1 }'],
    [
      'ignores comment markers inside strings',
      '{ "url": "https://a/*b*/", "x": "\\"//" }',
      createSetEdit('x', 'y'),
      '{ "url": "https://a/*b*/", "x": "y" }',
    ],
  ])('%s', (_, text, edit, expected) => {
    expect(editJsonc(text, edit)).toBe(expected);
  });

  it.each([
    ['{ "a": 1', 'Line 1 is not JSON.'],
    ['{\n "a" 1 }', 'Line 2 is not JSON.'],
    ['{ "vars": 1 }', "'vars' is not an object."],
  ])('throws for %j', (text, message) => {
    expect(() => editJsonc(text, createSetEdit('vars.A', 'b'))).toThrow(new EditError(message));
  });
});

it.each([
  ['1.5.0', '^1.5.0', true],
  ['1.12.3', '^1.5.0', true],
  ['1.4.9', '^1.5.0', false],
  ['2.0.0', '^1.5.0', false],
  ['2.0.0-beta.1', '^1.5.0', false],
  ['0.3.1', '^0.3.0', true],
  ['0.4.0', '^0.3.0', false],
  ['7.0.1', '^6.0.0 || ^7.0.0', true],
  ['5.9.0', '^6.0.0 || ^7.0.0', false],
  ['19.3.1', '>=18', true],
  ['17.9.9', '>=18', false],
  ['1.0.0', '1.x', true],
])('isInRange for the version %s and the range %s returns %s', (version, range, expected) => {
  expect(isInRange(version, range)).toBe(expected);
});
