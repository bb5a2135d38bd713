const MAX_NAME = 64;

/** A generator of unique names that every provider accepts. */
export interface ToolNames {
  /**
   * Returns a name for an id, in which characters other than letters, digits, `_` and `-` become `_`. If this
   * name is too long or in use, uses `instead` in the same way. If that name is not free either, cuts the
   * first name and appends a hash of the id. Names therefore do not depend on other operations.
   */
  take(id: string, instead?: string): string;
}

export function createToolNames(): ToolNames {
  const taken = new Set<string>();
  return {
    take(id, instead = id) {
      const free = [toPlainName(id), toPlainName(instead)].find(
        (name) => name.length <= MAX_NAME && !taken.has(name),
      );
      let name = free ?? toHashedName(toPlainName(id), id);
      for (let again = 2; free === undefined && taken.has(name); again += 1) {
        name = toHashedName(toPlainName(id), `${id} ${again}`);
      }
      taken.add(name);
      return name;
    },
  };
}

const toPlainName = (id: string): string =>
  id.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || 'tool';

function toHashedName(plain: string, id: string): string {
  const ending = `_${hashText(id)}`;
  return plain.slice(0, MAX_NAME - ending.length) + ending;
}

/** FNV-1a with 32 bits, in base 36: short and deterministic. */
function hashText(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(36);
}
