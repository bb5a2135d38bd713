/** A door for tests. What the doctor changes in the text of a configuration, which needs no Node. */
export { type ConfigEdit, EditError } from '../../src/cli/doctor/config-edit.ts';
export { editJsonc } from '../../src/cli/doctor/edit-jsonc.ts';
export { editToml } from '../../src/cli/doctor/edit-toml.ts';
export { isInRange } from '../../src/cli/doctor/versions.ts';
