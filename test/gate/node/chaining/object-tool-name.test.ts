import { describe, expect, it } from 'vitest';
import { toMarkedName, toObjectToolName } from '../../../doors/kinds.ts';

const toName = (id: string, tool = 'show', prefix = 'customer') => toObjectToolName({ prefix, id, tool });

describe('the name of an object tool', () => {
  it('consists of the prefix, the id and the name of the tool (TPR-02)', () => {
    expect(toName('c-123', 'average_spend')).toBe('customer_c-123_average_spend');
    expect(toName('3f2504e0-4f89-11d3-9a0c-0305e82c3301')).toBe(
      'customer_3f2504e0-4f89-11d3-9a0c-0305e82c3301_show',
    );
  });

  it('omits invalid characters, and then ends in a hash of the whole id (TPR-03)', () => {
    expect(toName('ann@example.org')).toBe('customer_annexampleorg_show_gvaxvz');
    expect(toName('ann@exampleorg')).toMatch(/^customer_annexampleorg_show_(?!gvaxvz)/);
  });

  it('is cut to 64 characters, which shortens the id before the name of the tool (TPR-03)', () => {
    const long = toName('x'.repeat(200));
    expect(long).toMatch(/^customer_x{35,}_show_[0-9a-z]+$/);
    expect(long.length).toBeLessThanOrEqual(64);
    expect(toName(`${'x'.repeat(200)}y`)).not.toBe(long);
    const all = toName('x'.repeat(200), 't'.repeat(64), 'p'.repeat(64));
    expect(all).toMatch(/^p+_[0-9a-z]+$/);
    expect(all.length).toBeLessThanOrEqual(64);
  });

  it('is unique for each id, tool and prefix, even with a hash', () => {
    const names = ['a', 'ä', 'b', 'ab'].flatMap((id) => [
      toMarkedName({ prefix: 'p', id, tool: 'x' }),
      toMarkedName({ prefix: 'p', id, tool: 'y' }),
      toMarkedName({ prefix: 'q', id, tool: 'x' }),
    ]);
    expect(new Set(names).size).toBe(12);
  });
});
