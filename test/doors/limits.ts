/** A door for tests. What the module of call limits remembers. */
export { COUNTED, type Counted } from '../../src/modules/limits/counted.ts';
