/** A refusal of the control API, with the HTTP status and the sentence to answer. */
export class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
