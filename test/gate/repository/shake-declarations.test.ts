import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { shakeDeclarations } from '../../../build/shake-declarations.ts';

/** Shakes a folder with one declaration file, and returns the new text. */
function shakeText(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'declarations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'entry.d.ts');
  writeFileSync(path, text);
  writeFileSync(`${path}.map`, JSON.stringify({ version: 3, sources: [], names: [], mappings: '' }));
  shakeDeclarations(folder, [path]);
  return readFileSync(path, 'utf8');
}

it('writes the type of a value on one line, and keeps the line breaks in its comments', () => {
  const text = `/**
 * Returns a greeting.
 *
 * @example
 * \`\`\`ts
 * greet.hello;
 * \`\`\`
 */
export declare const greet: {
    /** In English. */
    readonly hello: string;
    /**
     * In German,
     * also in Austria.
     */
    readonly hallo: string;
};
`;
  expect(shakeText(text)).toBe(`/**
 * Returns a greeting.
 *
 * @example
 * \`\`\`ts
 * greet.hello;
 * \`\`\`
 */
export declare const greet: {/** In English. */readonly hello: string;/**
 * In German,
 * also in Austria.
 */
readonly hallo: string};
${'//'}# sourceMappingURL=entry.d.ts.map
`);
});
