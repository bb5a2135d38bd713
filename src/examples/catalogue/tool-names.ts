const MAX_NAME = 64;

/** Hands out names that every provider takes, each once. */
export interface ToolNames {
  /**
   * The name for an id: other characters than letters, digits, `_` and `-` become `_`. Where it is too long or taken, the
   * name for `instead`; where that is as well, the first one is cut and ends in a hash of the id, so that it stays the
   * same when other operations come and go.
   */
  take(id: string, instead?: string): string;
}

/** Hands out names of tools, none of them twice. */
export function toolNames(): ToolNames {
  const taken = new Set<string>();
  return {
    take(id, instead = id) {
      const free = [plain(id), plain(instead)].find((name) => name.length <= MAX_NAME && !taken.has(name));
      let name = free ?? hashed(plain(id), id);
      for (let again = 2; free === undefined && taken.has(name); again += 1) {
        name = hashed(plain(id), `${id} ${again}`);
      }
      taken.add(name);
      return name;
    },
  };
}

const plain = (id: string): string =>
  id.replaceAll(/[^A-Za-z0-9_-]+/g, '_').replaceAll(/^_+|_+$/g, '') || 'tool';

function hashed(plain: string, id: string): string {
  const ending = `_${hash(id)}`;
  return plain.slice(0, MAX_NAME - ending.length) + ending;
}

/** FNV-1a, 32 bits, in base 36: short, and the same everywhere. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193) >>> 0;
  return value.toString(36);
}
