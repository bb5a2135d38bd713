/** Something that the person who typed the command can mend: its message is all that they are shown. */
export class CreateProblem extends Error {
  override readonly name = 'CreateProblem';
}
