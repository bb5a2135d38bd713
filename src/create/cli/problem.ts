/** An error that the user of the command can fix. Only its message is printed. */
export class CreateProblem extends Error {
  override readonly name = 'CreateProblem';
}
