/** Why a person does not get what was asked for; the portal has a sentence for each in every language. */
export type PeopleRefusalCode =
  | 'email_invalid'
  | 'email_taken'
  | 'already_member'
  | 'too_many_invited'
  | 'last_owner'
  | 'password_weak'
  | 'link_dead';

/** A definite no about people. */
export class PeopleRefusal extends Error {
  constructor(
    readonly code: PeopleRefusalCode,
    message: string,
  ) {
    super(message);
  }
}
