import { describe, expect, it } from 'vitest';
import {
  ALL_IDS,
  ALL_ROWS,
  computeCoverage,
  NOT_APPLICABLE,
  parseIds,
  parseRows,
  parseTitleIds,
} from '../../spec/coverage.ts';

const findStanding = (id: string, tests: Parameters<typeof computeCoverage>[0]) =>
  computeCoverage(tests).standings.find((one) => one.id === id);
const [one, two, three, four] = ['ONE-01', 'ONE-02', 'ONE-03', 'ONE-04'];

describe('the coverage of the specification', () => {
  it('counts an id as covered by the passed tests whose titles include it', () => {
    const tests = [
      { title: `marks (${one})`, passed: true },
      { title: `marks again (${one}, ${two})`, passed: true },
    ];
    expect(findStanding('ONE-01', tests)).toEqual({
      id: one,
      is: 'covered',
      by: [`marks (${one})`, `marks again (${one}, ${two})`],
    });
    expect(findStanding('ONE-03', tests)).toEqual({ id: three, is: 'missing' });
  });

  it('does not count a failed test, and reports it as a fault', () => {
    const tests = [{ title: `marks (${one})`, passed: false }];
    expect(findStanding('ONE-01', tests)).toEqual({ id: one, is: 'missing' });
    expect(computeCoverage(tests).faults).toEqual([`failed: marks (${one})`]);
  });

  it('reports a title with more than three ids as a fault', () => {
    const title = `does all (${one}, ${two}, ${three}, ${four})`;
    expect(computeCoverage([{ title, passed: true }]).faults).toEqual([`names more than 3 ids: ${title}`]);
  });

  it('reports an excuse as a fault if a test covers its id', () => {
    const [excused] = Object.keys(NOT_APPLICABLE);
    if (excused === undefined) return;
    const { faults } = computeCoverage([{ title: `does (${excused})`, passed: true }]);
    expect(faults).toEqual([`${excused} is covered and needs no excuse`]);
  });

  it('reads ids only as whole words, and each id once', () => {
    expect(parseTitleIds(`a ${one} b ${one} ISO-8601 XONE-011`)).toEqual([one]);
    expect(ALL_IDS).toHaveLength(414);
  });

  it('finds the ids of the specification at the beginning of list entries', () => {
    expect(
      parseIds(`# ${one}\n- **${one}** does (see **${two}**)\n  - **${three}**\n- **${four}** too`),
    ).toEqual([one, four]);
    expect(new Set(ALL_IDS).size).toBe(ALL_IDS.length);
    expect(new Set(ALL_IDS.map((id) => id.split('-')[0])).size).toBe(35);
  });

  it('reads the rows of the source documents, with ranges and whole groups of ids', () => {
    const text = `- **${one}** a\n- **${two}** b\n- **${three}** c\n| S9-001 | Some | ONE-01..02, TWO-04 | |\n| S9-002 | All | ONE | |`;
    expect(parseRows(text)).toEqual([
      { row: 'S9-001', feature: 'Some', ids: [one, two, 'TWO-04'] },
      { row: 'S9-002', feature: 'All', ids: [one, two, three] },
    ]);
    expect(ALL_ROWS).toHaveLength(243);
    expect(ALL_ROWS.flatMap(({ ids }) => ids).filter((id) => !ALL_IDS.includes(id))).toEqual([]);
  });

  it('reports which ids of a row are missing from the titles of passed tests', () => {
    const first = ALL_ROWS[0];
    const { rows } = computeCoverage((first?.ids ?? []).slice(1).map((id) => ({ title: id, passed: true })));
    expect(rows[0]?.missing).toEqual(first?.ids.slice(0, 1));
  });
});
