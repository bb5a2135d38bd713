/** Tests the settings that `create-holdfast` adds to those of an existing Worker. */
import { describe, expect, it } from 'vitest';
import { addAgentSettings, parseJsonc, readMain } from '../../../../src/create/cli/settings.ts';

const MAIN = 'agent/worker.ts';
const TABLES = `
[[durable_objects.bindings]]
name = "SESSIONS"
class_name = "SessionObject"

[[migrations]]
tag = "holdfast-v1"
new_sqlite_classes = ["SessionObject"]
`;
const FLAGS = 'compatibility_flags = ["enable_request_signal", "global_fetch_strictly_public"]';

describe('wrangler.toml', () => {
  const addSettings = (text: string) => addAgentSettings('wrangler.toml', text, MAIN);

  it('receives the Worker, the flags and the tables, and keeps its comments', () => {
    const text =
      '# Ours.\nname = "shop"\nmain = "src/index.ts" # the app\ncompatibility_date = "2026-11-01"\n\n[vars]\nmain = "no"\n';
    expect(readMain('wrangler.toml', text)).toBe('src/index.ts');
    expect(addSettings(text)).toEqual({
      text: `# Ours.\nname = "shop"\nmain = "agent/worker.ts" # the app\ncompatibility_date = "2026-11-01"\n${FLAGS}\n\n[vars]\nmain = "no"\n${TABLES}`,
      left: [],
    });
  });

  it('receives additional flags and bindings, and keeps the existing ones', () => {
    const text = `main = 'a.ts'\ncompatibility_flags = [ "nodejs_compat", ]\n\n[[durable_objects.bindings]]\nname = "ROOM"\nclass_name = "Room"\n\n[[migrations]]\ntag = "v1"\nnew_sqlite_classes = ["Room"]\n`;
    const { text: changed, left } = addSettings(text);
    expect(changed).toBe(
      text
        .replace("'a.ts'", '"agent/worker.ts"')
        .replace(
          '[ "nodejs_compat", ]',
          '[ "nodejs_compat", "enable_request_signal", "global_fetch_strictly_public"]',
        ) + TABLES,
    );
    expect(left).toEqual([]);
  });

  it('receives only a new "main" if it has all other settings', () => {
    const text = `main = "a.ts"\n${FLAGS}\n${TABLES}`;
    expect(addSettings(text).text).toBe(text.replace('a.ts', MAIN));
  });

  it('receives a "main" if it had no "main" before', () => {
    expect(readMain('wrangler.toml', 'name = "site"\n[assets]\ndirectory = "dist"\n')).toBeUndefined();
    expect(addSettings('name = "site"\n').text).toBe(
      `name = "site"\nmain = "agent/worker.ts"\n${FLAGS}\n${TABLES}`,
    );
  });

  it('keeps settings that only a person can change or decide, and reports them', () => {
    const text = `main = "a.ts"\ncompatibility_date = "2024-01-01"\ndurable_objects = { bindings = [] }\n[env.production]\n`;
    const { text: changed, left } = addSettings(text);
    expect(changed).not.toContain('SESSIONS');
    expect(left).toEqual([
      `wrangler.toml: 'durable_objects' is an inline table on line 3. Add {"name":"SESSIONS","class_name":"SessionObject"} to durable_objects.bindings by hand.`,
      'wrangler.toml: compatibility_date is 2024-01-01, but sessions need 2025-11-17 or later. Raise it.',
      'wrangler.toml: environments under "env" do not inherit bindings. Repeat the binding SESSIONS in each.',
    ]);
  });
});

describe('wrangler.jsonc', () => {
  it('keeps another binding called SESSIONS, and reports the conflict', () => {
    const text = '{ "name": "shop", "kv_namespaces": [{ "binding": "SESSIONS", "id": "1" }] }';
    const { text: changed, left } = addAgentSettings('wrangler.jsonc', text, 'agent/worker.ts');
    expect(changed).not.toContain('durable_objects');
    expect(left).toEqual([
      'wrangler.jsonc: SESSIONS is the name of another binding, but sessions need this name for their Durable Object. Rename the other binding, then run `npx holdfast doctor`.',
    ]);
  });

  const addSettings = (text: string) => addAgentSettings('wrangler.jsonc', text, MAIN);
  const added = {
    main: MAIN,
    compatibility_flags: ['enable_request_signal', 'global_fetch_strictly_public'],
    durable_objects: { bindings: [{ name: 'SESSIONS', class_name: 'SessionObject' }] },
    migrations: [{ tag: 'holdfast-v1', new_sqlite_classes: ['SessionObject'] }],
  };

  it('keeps the comments of a new Hono app', () => {
    const text = `{
  "$schema": "node_modules/wrangler/config-schema.json", // for "main": editors
  "name": "shop",
  "main": "src/index.ts",
  /* a day */
  "compatibility_date": "2026-11-01"
  // "vars": { "main": "no" },
}
`;
    expect(readMain('wrangler.jsonc', text)).toBe('src/index.ts');
    expect(addSettings(text)).toEqual({
      text: `{
  "$schema": "node_modules/wrangler/config-schema.json", // for "main": editors
  "name": "shop",
  "main": "agent/worker.ts",
  /* a day */
  "compatibility_date": "2026-11-01",
  "compatibility_flags": [
    "enable_request_signal",
    "global_fetch_strictly_public"
  ],
  "durable_objects": {
    "bindings": [
      {
        "name": "SESSIONS",
        "class_name": "SessionObject"
      }
    ]
  },
  "migrations": [
    {
      "tag": "holdfast-v1",
      "new_sqlite_classes": [
        "SessionObject"
      ]
    }
  ]
  // "vars": { "main": "no" },
}
`,
      left: [],
    });
  });

  it.each([
    '{}',
    '{ "main": "a.ts", }',
    '{"main":"a.ts"}',
    '{\n\t"vars": { "A": "}{][\\",]" },\n\t"main": "a.ts"\n}',
    '{ "compatibility_flags": [], "migrations": [ ], "durable_objects": {} }',
    '{\n  "durable_objects": {\n    // ours\n    "bindings": [],\n  },\n}',
    '{ "compatibility_flags": ["enable_request_signal"], "x": [[1], { "migrations": 1 }] }',
  ])('receives all needed settings, and keeps its own: %s', (text) => {
    const { durable_objects: _, ...before } = parseJsonc(text);
    const after = parseJsonc(addSettings(text).text);
    expect(after).toEqual({ ...before, ...added });
    // A second run changes nothing.
    expect(addSettings(addSettings(text).text).text).toBe(addSettings(text).text);
  });

  it('receives additional flags, bindings and migrations, and keeps the existing ones', () => {
    const room = { name: 'ROOM', class_name: 'Room' };
    const made = { tag: 'v1', new_sqlite_classes: ['Room'] };
    const before = {
      main: 'src/index.ts',
      compatibility_flags: ['nodejs_compat'],
      durable_objects: { bindings: [room] },
      migrations: [made],
    };
    for (const indent of [0, 2]) {
      expect(parseJsonc(addSettings(JSON.stringify(before, null, indent)).text)).toEqual({
        main: MAIN,
        compatibility_flags: [...before.compatibility_flags, ...added.compatibility_flags],
        durable_objects: { bindings: [room, ...added.durable_objects.bindings] },
        migrations: [made, ...added.migrations],
      });
    }
  });

  it('is refused if it is not JSON', () => {
    expect(() => addSettings('{ main: 1 }')).toThrow(SyntaxError);
  });
});
