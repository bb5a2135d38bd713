/** Internals for tests: the doctor's edits of configuration texts, which do not need Node. */
export { type ConfigEdit, EditError } from '../../src/cli/doctor/config-edit.ts';
export { editJsonc } from '../../src/cli/doctor/edit-jsonc.ts';
export { editToml } from '../../src/cli/doctor/edit-toml.ts';
export { isInRange } from '../../src/cli/doctor/versions.ts';
